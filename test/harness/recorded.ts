/** Returns an object whose methods, however deep, record what they are given and answer so: by a value, a function or an error. */
export function recorded<T>(answers: Readonly<Record<string, unknown>> = {}) {
  const calls: unknown[][] = [];
  const at = (path: string): unknown =>
    new Proxy(() => undefined, {
      get(_, name) {
        const inner = `${path && `${path}.`}${String(name)}`;
        return name === 'then' || typeof answers[inner] === 'string' ? answers[inner] : at(inner);
      },
      async apply(_, __, given) {
        calls.push([path, ...given]);
        const answer = answers[path] ?? {};
        if (answer instanceof Error) throw answer;
        return typeof answer === 'function' ? answer(...given) : answer;
      },
    });
  return { calls, object: at('') as T };
}
