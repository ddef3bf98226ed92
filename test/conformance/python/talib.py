"""What one published example imports of TA-Lib, which the distribution does not carry: MACD by its textbook definition."""

import pandas


def MACD(close, fastperiod, slowperiod, signalperiod):
    prices = pandas.Series(close)
    macd = prices.ewm(span=fastperiod, adjust=False).mean() - prices.ewm(span=slowperiod, adjust=False).mean()
    signal = macd.ewm(span=signalperiod, adjust=False).mean()
    return macd.values, signal.values, (macd - signal).values
