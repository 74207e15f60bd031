import fc from 'fast-check';

type Values = [unknown, ...unknown[]];
type Options<All extends Values> = fc.Parameters<NoInfer<All>>;
type Given<All extends Values> = [
  ...arbitraries: { [Index in keyof All]: fc.Arbitrary<All[Index]> },
  check: (...values: All) => unknown,
];

/** Checks many values of these arbitraries, or as the options say. The check throws where it does not hold. */
export function forAll<All extends Values>(...given: Given<All>): void;
export function forAll<All extends Values>(options: Options<All>, ...given: Given<All>): void;
export function forAll(...all: unknown[]): void {
  const { given, options } = apart(all);
  fc.assert(fc.property(...(given as [fc.Arbitrary<unknown>, () => void])), options);
}

/** Does the same with a check that is asynchronous. */
export function forAllAsync<All extends Values>(...given: Given<All>): Promise<void>;
export function forAllAsync<All extends Values>(options: Options<All>, ...given: Given<All>): Promise<void>;
export function forAllAsync(...all: unknown[]): Promise<void> {
  const { given, options } = apart(all);
  return fc.assert(fc.asyncProperty(...(given as [fc.Arbitrary<unknown>, () => Promise<void>])), options);
}

function apart([first, ...rest]: unknown[]) {
  if (first instanceof fc.Arbitrary) return { given: [first, ...rest], options: {} };
  return { given: rest, options: first as object };
}

/** What happens of one type: its other fields, and how often it comes beside others. */
export const of = <Type extends string, Fields extends object>(
  type: Type,
  fields = {} as { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
  weight = 1,
) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...fields }) as fc.Arbitrary<{ type: Type } & Fields>,
});
