/** Returns a literal as the kind of id that is expected where it stands. */
export function asId<Id extends string>(text: string): Id {
  return text as Id;
}
