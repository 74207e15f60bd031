/** Returns the text about lost decisions that were made differently since. @param count how many */
export function lostDecisionsText(count: number): string {
  const [were, tasks] =
    count === 1
      ? ['One decision was', 'Its task was']
      : [`${count.toLocaleString('en')} decisions were`, 'Their tasks were'];
  return `${were} lost together with a part of the database. ${tasks} decided on again before the loss was noticed: the later decision counts.`;
}
