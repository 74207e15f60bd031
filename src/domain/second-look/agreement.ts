/**
 * Returns Krippendorff's alpha for nominal values: 1 where all agree, 0 where they agree as often as chance would have them,
 * below that where they agree less. Undefined where it says nothing: nobody judged what another one did, or all values are the
 * same, so that chance alone would have them agree.
 * @param units the values that each unit was given, without those that are missing
 */
export function krippendorffAlpha(units: readonly (readonly string[])[]): number | undefined {
  const counts = units.filter((values) => values.length > 1).map(countsOf);
  const totals = new Map<string, number>();
  let paired = 0;
  let observed = 0;
  for (const unit of counts) {
    const size = sumOf(unit);
    paired += size;
    for (const [value, count] of unit) {
      totals.set(value, (totals.get(value) ?? 0) + count);
      // Each value forms pairs with the others of its unit, which count less the more there are.
      observed += (count * (size - count)) / (size - 1);
    }
  }
  const expected = [...totals.values()].reduce((sum, total) => sum + total * (paired - total), 0);
  return expected === 0 ? undefined : 1 - ((paired - 1) * observed) / expected;
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
