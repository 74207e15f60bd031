import type { BulkDecision, BulkSelection } from '../../domain/bulk-selection.ts';
import { TaskId, type Verdict, verdicts } from '../../domain/terms.ts';
import { chosen, type Values } from '../../slack/form-values.ts';
import { commentIn } from '../../ui/comment-input.view.ts';
import { scopeInput, taskOfInput, verdictInput } from './decision.view.ts';

/** Values read from the form for a rating and its comment. */
export interface Filled {
  readonly decision: BulkDecision;
  readonly comment: ReturnType<typeof commentIn>;
  /** Whether this view has comment inputs with a text other than the last one filled in. */
  readonly hasInputs: boolean;
  readonly isOutdated: boolean;
}

/** Returns the decision merged with the inputs. */
export function filledIn({ decision: stored }: BulkSelection, values: Values): Filled {
  const verdict = verdicts.find((one) => one === chosen(values, verdictInput));
  const before: BulkDecision = stored ?? {
    verdict: verdict ?? ('OK' satisfies Verdict),
    isEach: false,
    text: '',
    filled: 0,
    order: 0,
  };
  const comment = commentIn(values, before.reason);
  const hasText = Object.keys(values).some((name) => name.startsWith('comment.'));
  const isOutdated = hasText && comment.name !== `comment.${before.filled}`;
  const scope = chosen(values, scopeInput);
  return {
    comment,
    hasInputs: scope !== undefined,
    isOutdated,
    decision: {
      ...before,
      text: hasText && !(isOutdated && comment.text === '') ? comment.text : before.text,
      isEach: scope === undefined ? before.isEach : scope === 'each',
    },
  };
}

/**
 * Returns the decision for a refilled form, whose inputs need new names: Slack keeps typed text while the name stays the
 * same.
 */
export function refilled(decision: BulkDecision): BulkDecision {
  return { ...decision, filled: decision.filled + 1 };
}

/** Returns the comments in a page's inputs. */
export function textsIn(values: Values): Map<TaskId, string> {
  return new Map(
    Object.entries(values).flatMap(([block, elements]) => {
      const task = taskOfInput(block);
      const [state] = Object.values(elements);
      return task === undefined ? [] : [[TaskId.parse(task), state?.value?.trim() ?? ''] as const];
    }),
  );
}
