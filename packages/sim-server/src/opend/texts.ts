/** The language in which an upstream was set to speak. */
export type Language = 'en' | 'zh';

/**
 * Texts of an upstream, as they were seen in the field. A text known in one language only is given in that one, whatever
 * the setting: programs tell refusals apart by their texts.
 */
export interface Texts {
  readonly tooFrequent: (what: string, times: number) => string;
  readonly simulatedDeals: string;
  readonly locked: string;
  readonly subscriptionQuota: (remaining: number) => string;
  readonly historyQuota: string;
  readonly tooYoung: string;
  readonly notSubscribed: (what: string, subType: string) => string;
  readonly offline: string;
  readonly unknownId: string;
  readonly awaitsCode: string;
}

const common = {
  subscriptionQuota: (remaining: number) => `订阅额度不足，订阅失败，剩余订阅额度：${remaining}`,
  historyQuota: '历史K线额度不足，请求失败',
  tooYoung: '反订阅失败，订阅时间过短，至少需要订阅1分钟',
  notSubscribed: (what: string, subType: string) => `请求获取${what}接口前，请先订阅${subType}数据`,
  offline: '网络中断',
  unknownId: '未知的协议ID',
  awaitsCode: '登录需要手机验证码，请先输入验证码',
};

export const texts: Readonly<Record<Language, Texts>> = {
  zh: {
    ...common,
    tooFrequent: (what, times) => `${what}频率太高，请求失败，每30秒最多${times}次。`,
    simulatedDeals: '模拟交易不支持成交数据',
    locked: '没有解锁交易，请先解锁交易',
  },
  en: {
    ...common,
    tooFrequent: (what, times) => `${what} is too frequent, request failed, no more than ${times} times every 30 seconds.`,
    simulatedDeals: 'Simulated trade does not support deal list',
    locked: 'Trade is locked, please unlock first',
  },
};
