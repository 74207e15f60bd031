/**
 * Returns Krippendorff's alpha for nominal values: 1 for perfect agreement, 0 for agreement by chance, negative below
 * that. Undefined if meaningless: no unit was judged twice, or all values are the same, so that chance alone would make
 * them agree.
 * @param units the values of each unit, without missing ones
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
      // Each value forms pairs with the others of its unit; the weight of a pair decreases with their number.
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
