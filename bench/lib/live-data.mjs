/** The live data of a backend whose events the bench makes. */
const accepted = { retType: 0, retMsg: '', errCode: 0 };

/** Backend of the push path: every subscription is accepted, and events come only by `publish`. */
export function madeLiveData() {
  let listener;
  return {
    publish: (event) => listener(event),
    liveData: {
      subscribe: async () => accepted,
      unsubscribe: async () => undefined,
      current: () => undefined,
      subscribeAccounts: async () => accepted,
      notices: () => [],
      onPush(told) {
        listener = told;
        return () => undefined;
      },
      onStreams: () => () => undefined,
    },
  };
}

/** A backend with these members in the place of its own. */
export function withMembers(backend, members) {
  return new Proxy(backend, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return members[name];
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
