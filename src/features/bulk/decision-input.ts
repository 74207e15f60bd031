import type { BulkDecision, BulkSelection } from '../../domain/bulk-selection.ts';
import { TaskId, type Verdict, verdicts } from '../../domain/terms.ts';
import { chosen, type Values } from '../../slack/feature.ts';
import { commentIn } from '../shared/comment-input.view.ts';
import { scopeInput, taskOfInput, verdictInput } from './decision.view.ts';

/** What stands in the inputs of the form for a rating and its comment. */
export interface Filled {
  readonly decision: BulkDecision;
  readonly comment: ReturnType<typeof commentIn>;
  /** The comment is asked for in this view; it shows another text than the one that was filled in last. */
  readonly hasInputs: boolean;
  readonly isOutdated: boolean;
}

/** Returns the decision with what stands in the inputs. */
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

/** Returns the decision for a form that is filled in anew: Slack leaves what was typed in an input of the same name. */
export function refilled(decision: BulkDecision): BulkDecision {
  return { ...decision, filled: decision.filled + 1 };
}

/** Returns the comments in the inputs of a page. */
export function textsIn(values: Values): Map<TaskId, string> {
  return new Map(
    Object.entries(values).flatMap(([block, elements]) => {
      const task = taskOfInput(block);
      const [state] = Object.values(elements);
      return task === undefined ? [] : [[TaskId.parse(task), state?.value?.trim() ?? ''] as const];
    }),
  );
}
