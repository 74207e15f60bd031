/** Returns a literal as the expected type of id. */
export function asId<Id extends string>(text: string): Id {
  return text as Id;
}
