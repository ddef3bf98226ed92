"""Runs the published Python client, unmodified, over core TCP, and prints what came of each call as a line of JSON."""

import json
import sys
import threading

import futu

host, port = sys.argv[1].split(":")
tencent = "HK.00700"


def report(method, answer):
    code, data = answer[0], answer[1]
    said = data if isinstance(data, (str, dict)) else data.to_dict("records")
    print(json.dumps({"method": method, "ok": code == futu.RET_OK, "answer": said}, default=str), flush=True)


class Quotes(futu.StockQuoteHandlerBase):
    pushed = threading.Event()

    def on_recv_rsp(self, response):
        code, data = super().on_recv_rsp(response)
        if code == futu.RET_OK:
            Quotes.pushed.set()
        return code, data


quotes = futu.OpenQuoteContext(host=host, port=int(port))
try:
    report("get_global_state", quotes.get_global_state())
    report("get_stock_quote before subscribe", quotes.get_stock_quote([tencent]))
    quotes.set_handler(Quotes())
    types = [futu.SubType.QUOTE, futu.SubType.ORDER_BOOK, futu.SubType.TICKER, futu.SubType.K_DAY]
    report("subscribe", quotes.subscribe([tencent], types))
    report("get_stock_quote", quotes.get_stock_quote([tencent]))
    report("get_order_book", quotes.get_order_book(tencent))
    report("get_rt_ticker", quotes.get_rt_ticker(tencent, 5))
    report("get_cur_kline", quotes.get_cur_kline(tencent, 5))
    report("get_market_snapshot", quotes.get_market_snapshot([tencent]))
    report("query_subscription", quotes.query_subscription())
    print(json.dumps({"method": "push", "ok": Quotes.pushed.wait(20), "answer": ""}), flush=True)
finally:
    quotes.close()
