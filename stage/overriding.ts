/** `target` with some of its methods replaced. */
export function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (of, name): unknown => {
      const own: unknown = Reflect.get(methods, name);
      if (own !== undefined) return own;
      const method: unknown = Reflect.get(of, name, of);
      return typeof method === 'function' ? method.bind(of) : method;
    },
  });
}
