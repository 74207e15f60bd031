import fc from 'fast-check';

/** What happens of one type: its other fields, and how often it comes beside others. */
export const of = <Type extends string, Fields extends object>(
  type: Type,
  fields = {} as { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
  weight = 1,
) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...fields }) as fc.Arbitrary<{ type: Type } & Fields>,
});
