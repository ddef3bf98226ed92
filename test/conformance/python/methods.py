"""Runs the published Python client, unmodified, over core TCP: every public method of its quote and trade contexts, with
its default arguments wherever it has any. What came of each call is printed as a line of JSON."""

import inspect
import json
import os
import struct
import sys
import threading

import futu

task = json.loads(sys.argv[1])
host, port, body_format, rsa_file = task["host"], task["port"], task["format"], task.get("rsaFile")
if body_format == "json":
    futu.SysConfig.set_proto_fmt(futu.ProtoFMT.Json)
if rsa_file is not None:
    futu.SysConfig.enable_proto_encrypt(True)
    futu.SysConfig.set_init_rsa_file(rsa_file)

def end_at_once(*error):
    """The client's threads would keep a program alive that has failed."""
    sys.__excepthook__(*error)
    sys.stderr.flush()
    os._exit(1)


sys.excepthook = end_at_once


say_lock = threading.Lock()


def say(**line):
    with say_lock:
        print(json.dumps(line, default=str), flush=True)


# Observes the client's own requests: the protocol id stands after the two letters.
asked = []
send = futu.common.open_context_base.NetManager.send


def watched_send(self, conn_id, data):
    asked.append(struct.unpack("<I", bytes(data[2:6]))[0])
    return send(self, conn_id, data)


futu.common.open_context_base.NetManager.send = watched_send


def plain(data):
    """An answer's data as what JSON holds."""
    if hasattr(data, "to_dict"):
        return data.to_dict("records")
    if isinstance(data, (list, tuple)):
        return [plain(item) for item in data]
    return data


def call(context, method, *arguments, **named):
    del asked[:]
    try:
        answer = getattr(context, method)(*arguments, **named)
    except Exception as error:  # A client that throws is a finding, not the end of the run.
        answer = ("threw", repr(error))
    # A few methods answer with more than two values, and some with none.
    outcome, data = (answer[0], answer[1] if len(answer) == 2 else list(answer[1:])) if isinstance(answer, tuple) else (None, answer)
    say(
        kind="call",
        context=type(context).__name__,
        method=method,
        asked=[proto_id for proto_id in asked if proto_id != 1004],
        ok=outcome == futu.RET_OK,
        answer=plain(data),
    )
    return data if outcome == futu.RET_OK else None


class Pushes:
    """One handler of each kind, each heard from when its first push came."""

    def __init__(self):
        self.heard = {}

    def handlers(self, *bases):
        for base in bases:
            yield self.handler(base)

    def handler(self, base):
        heard = self.heard[base.__name__] = threading.Event()

        class Handler(base):
            def on_recv_rsp(self, response):
                outcome = super().on_recv_rsp(response)
                if outcome[0] == futu.RET_OK and not heard.is_set():
                    heard.set()
                    say(kind="push", handler=base.__name__, content=plain(outcome[1:]))
                return outcome

        return Handler()

    def missing(self, seconds):
        return [name for name, event in self.heard.items() if not event.wait(seconds)]


# A value for each parameter that has no default, by its name.
TENCENT = "HK.00700"
SUB_TYPES = [
    futu.SubType.QUOTE,
    futu.SubType.ORDER_BOOK,
    futu.SubType.TICKER,
    futu.SubType.K_DAY,
    futu.SubType.RT_DATA,
    futu.SubType.BROKER,
]
GIVEN = {
    "code": TENCENT,
    "stock_code": TENCENT,
    "plate_code": "HK.BK1001",
    "code_list": [TENCENT],
    "subtype_list": SUB_TYPES,
    "market": futu.Market.HK,
    "plate_class": futu.Plate.ALL,
    "reference_type": futu.SecurityReferenceType.WARRANT,
    "holder_type": futu.StockHolder.INSTITUTE,
    "num": 10,
    "group_name": "conformance",
    "type_list": [futu.DelayStatisticsType.QOT_PUSH],
    "qot_push_stage": futu.QotPushStage.CR2_CS,
    "segment_list": [10, 100],
}
# Where one name means another thing.
GIVEN_FOR = {
    "modify_user_security": {"op": futu.ModifyUserSecurityOp.ADD},
    # Fields that a new reminder needs; without a value the client would change nothing.
    "set_price_reminder": {
        "op": futu.SetPriceReminderOp.ADD,
        "reminder_type": futu.PriceReminderType.PRICE_UP,
        "reminder_freq": futu.PriceReminderFreq.ALWAYS,
        "value": 1_000_000,
    },
    "get_future_info": {"code_list": ["HK.HSImain"]},
    "get_market_snapshot": {"code_list": [TENCENT, "US.AAPL"]},
    # Without a market or a security, nobody's days are meant.
    "request_trading_days": {"market": futu.TradeDateMarket.HK},
}
# The connection's own affairs.
NOT_CALLED = {
    "close",
    "start",
    "stop",
    "set_handler",
    "is_encrypt",
    "status",
    "test_cmd",
    "set_sync_query_connect_timeout",
    "conn_str",
    "keep_alive",
    "is_futures_market_sim",
}
INTERNAL = ("_", "on_", "get_sync_", "get_async_", "get_login_", "handle_", "packet_", "can_")


def methods(context):
    """The public methods of a context that ask the server, by name."""
    members = inspect.getmembers(type(context), inspect.isfunction)
    return {name: member for name, member in members if not name.startswith(INTERNAL) and name not in NOT_CALLED}


def given_to(name, member):
    """Arguments for the parameters without a default, and those that the method must be told all the same."""
    special = GIVEN_FOR.get(name, {})
    needed = [p.name for p in inspect.signature(member).parameters.values() if p.default is p.empty and p.name != "self"]
    return {parameter: GIVEN[parameter] for parameter in needed if parameter not in special} | special


def call_all(context, names):
    members = methods(context)
    for name in names:
        call(context, name, **given_to(name, members[name]))


quote_pushes, trade_pushes = Pushes(), Pushes()

quotes = futu.OpenQuoteContext(host=host, port=port)
for handler in quote_pushes.handlers(
    futu.StockQuoteHandlerBase,
    futu.OrderBookHandlerBase,
    futu.CurKlineHandlerBase,
    futu.TickerHandlerBase,
    futu.RTDataHandlerBase,
    futu.BrokerHandlerBase,
    futu.SysNotifyHandlerBase,
):
    quotes.set_handler(handler)
call(quotes, "subscribe", [TENCENT, "HK.HSImain"], SUB_TYPES)
ends = ["unsubscribe", "unsubscribe_all"]
# A group of a watchlist is there once something is in it.
first = ["modify_user_security"]
call_all(quotes, [*first, *(name for name in methods(quotes) if name not in [*first, *ends])])
call(quotes, "get_stock_basicinfo", futu.Market.NONE, code_list=[TENCENT, "US.AAPL"])
call(quotes, "request_trading_days", code="US.AAPL", start="2026-02-02", end="2026-02-06")
# The greeting is told once, and may have come before there was a handler for it.
del quote_pushes.heard["SysNotifyHandlerBase"]
say(kind="silent", handlers=quote_pushes.missing(30))
call_all(quotes, ends)
quotes.close()

trade = futu.OpenSecTradeContext(host=host, port=port)
for handler in trade_pushes.handlers(futu.TradeOrderHandlerBase, futu.TradeDealHandlerBase):
    trade.set_handler(handler)
call(trade, "unlock_trade", task["password"])
# Real accounts are the default of every method.
for environment in ({}, {"trd_env": futu.TrdEnv.SIMULATE}):
    placed = call(trade, "place_order", 500.0, 100, TENCENT, futu.TrdSide.BUY, **environment)
    order_id = None if placed is None else placed["order_id"][0]
    call(trade, "order_list_query", **environment)
    call(trade, "modify_order", futu.ModifyOrderOp.NORMAL, order_id, 200, 501.0, **environment)
    call(trade, "change_order", order_id, 502.0, 100, **environment)
    call(trade, "modify_order", futu.ModifyOrderOp.CANCEL, order_id, 0, 0, **environment)
    call(trade, "place_order", 500.0, 100, TENCENT, futu.TrdSide.BUY, **environment)
    call(trade, "cancel_all_order", **environment)
    call(trade, "place_order", 1.0, 100, TENCENT, futu.TrdSide.BUY, futu.OrderType.MARKET, **environment)
    call(trade, "order_fee_query", [order_id], **environment)
    call(trade, "acctradinginfo_query", futu.OrderType.NORMAL, TENCENT, 500.0, **environment)
    say(kind="silent", handlers=trade_pushes.missing(30))
    queries = ["accinfo_query", "position_list_query", "deal_list_query", "history_order_list_query", "history_deal_list_query"]
    for name in [*queries, "order_fee_query", "get_acc_cash_flow"]:
        call(trade, name, **environment)
for name in ("get_acc_list", "get_global_state"):
    call(trade, name)
call(trade, "get_margin_ratio", [TENCENT])
call(trade, "unlock_trade", is_unlock=False)
say(kind="methods", context="OpenSecTradeContext", names=list(methods(trade)))
trade.close()
