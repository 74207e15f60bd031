/** What is wrong and where, as a JSON pointer below the path of the checked value. */
export type Problem = { path: string; message: string };

/** What rules need besides the value. */
export type Context = {
  surface: 'message' | 'modal' | 'home';
  /** Returns whether a file, given by its id or private URL, can be used as an image. */
  imageFile: (reference: { id?: string; url?: string }) => boolean;
};

/** Returns the problems of a value at a path. */
export type Rule = (value: unknown, path: string, context: Context) => Problem[];

export type Fields = Record<string, { rule: Rule; required: boolean }>;

const problem = (path: string, message: string): Problem[] => [{ path, message }];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a length as Slack counts it: in code points. */
export const lengthOf = (text: string): number => {
  let n = 0;
  for (const _ of text) n += 1;
  return n;
};

export const req = (rule: Rule) => ({ rule, required: true });
export const opt = (rule: Rule) => ({ rule, required: false });

/** A string of `min` to `max` code points. */
export const text =
  (max: number, min = 1): Rule =>
  (value, path) => {
    if (typeof value !== 'string') return problem(path, 'must provide a string');
    const length = lengthOf(value);
    if (length > max) return problem(path, `must be less than ${max + 1} characters`);
    if (length < min) return problem(path, `must be more than ${min - 1} characters`);
    return [];
  };

/** A string that matches a pattern. */
export const pattern =
  (form: RegExp, called: string, max = 3000): Rule =>
  (value, path) => {
    if (typeof value !== 'string') return problem(path, 'must provide a string');
    if (lengthOf(value) > max) return problem(path, `must be less than ${max + 1} characters`);
    return form.test(value) ? [] : problem(path, `must be a valid ${called}`);
  };

export const bool: Rule = (value, path) =>
  typeof value === 'boolean' ? [] : problem(path, 'must provide a boolean');

export const number =
  (min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer = false): Rule =>
  (value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || (integer && !Number.isInteger(value)))
      return problem(path, `must provide ${integer ? 'an integer' : 'a number'}`);
    if (value < min) return problem(path, `must be greater than or equal to ${min}`);
    if (value > max) return problem(path, `must be less than or equal to ${max}`);
    return [];
  };

export const literal =
  (...values: string[]): Rule =>
  (value, path) =>
    typeof value === 'string' && values.includes(value)
      ? []
      : problem(path, `must be one of: ${values.join(', ')}`);

/** A list of `min` to `max` items that each satisfy the rule. */
export const list =
  (item: Rule, max: number, min = 1): Rule =>
  (value, path, context) => {
    if (!Array.isArray(value)) return problem(path, 'must provide an array');
    if (value.length > max) return problem(path, `no more than ${max} items allowed`);
    if (value.length < min) return problem(path, `no less than ${min} items allowed`);
    return value.flatMap((entry, index) => item(entry, `${path}/${index}`, context));
  };

/** An object with exactly these fields (`type` is checked where the shape is chosen). */
export const shape =
  (fields: Fields, ...more: Rule[]): Rule =>
  (value, path, context) => {
    if (!isObject(value)) return problem(path, 'must provide an object');
    const problems: Problem[] = [];
    for (const [name, { rule, required }] of Object.entries(fields)) {
      const given = value[name];
      if (given === undefined || given === null) {
        if (required) problems.push({ path, message: `missing required field: ${name}` });
      } else problems.push(...rule(given, `${path}/${name}`, context));
    }
    for (const name of Object.keys(value))
      if (name !== 'type' && !(name in fields))
        problems.push({ path, message: `invalid additional property: ${name}` });
    return [...problems, ...more.flatMap((rule) => rule(value, path, context))];
  };

/** Chooses the shape by the value's `type`. */
export const byType =
  (shapes: Record<string, Rule>): Rule =>
  (value, path, context) => {
    if (!isObject(value)) return problem(path, 'must provide an object');
    if (typeof value.type !== 'string') return problem(path, 'missing required field: type');
    const rule = Object.hasOwn(shapes, value.type) ? shapes[value.type] : undefined;
    return rule === undefined
      ? problem(`${path}/type`, `unsupported type: ${value.type}`)
      : rule(value, path, context);
  };

/** A rule for the whole object, broken if `holds` returns false. */
export const must =
  (
    message: string,
    holds: (value: Record<string, unknown>, context: Context) => boolean,
    field?: string,
  ): Rule =>
  (value, path, context) =>
    !isObject(value) || holds(value, context)
      ? []
      : problem(field === undefined ? path : `${path}/${field}`, message);

/** Only on these surfaces. */
export const onlyOn = (type: string, ...surfaces: Context['surface'][]): Rule =>
  must(`unsupported type: ${type}`, (_value, context) => surfaces.includes(context.surface), 'type');

/** Exactly one of the fields. */
export const exactlyOne = (...names: string[]): Rule =>
  must(
    `must provide exactly one of: ${names.join(', ')}`,
    (value) => names.filter((name) => value[name] !== undefined && value[name] !== null).length === 1,
  );
