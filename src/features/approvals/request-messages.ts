import { type ApprovalRequest, subjectOf } from '../../domain/approval.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { requestKind } from '../../kit/live-message-kind.ts';
import type { Modules } from '../../kit/modules.ts';
import { answeredMeanwhile, askerMessage, requestMessage } from './request.view.ts';

/** Returns the kind of messages that ask managers about a request, and tell whoever asked what became of it. */
export function approvalMessage({ people, slack }: Modules) {
  return requestKind(slack, people.approvals.messages, ({ account }, { member, request }) =>
    member === request.by ? askerMessage(request) : requestMessage(account, request),
  );
}

/** Creates what tells people of requests. Each of them is told once, however often it is repeated. */
export function createRequestMessages({ people, slack }: Modules) {
  const { messages } = people.approvals;

  /** Shows the managers what has become of a request. */
  const update = (ref: AccountRef, request: ApprovalRequest): Promise<void> =>
    messages.goOn(ref, request, request.asked ?? []);

  return {
    update,

    /** Asks the managers. They read it if the request is answered meanwhile. */
    async askAll(ref: AccountRef, request: ApprovalRequest): Promise<void> {
      await messages.tell(ref, request, request.asked ?? []);
      const latest = await people.approvals.get(ref, subjectOf(request.act));
      const isOver = latest?.id !== request.id;
      const end = { kind: 'canceled', sentence: answeredMeanwhile } as const;
      await update(ref, isOver ? { ...request, stage: { state: 'ended', end } } : latest);
      await slack.homes.all(ref.workspace);
    },

    /** Returns whether all managers were asked. */
    async areAsked(ref: AccountRef, request: ApprovalRequest): Promise<boolean> {
      if (request.asked === undefined) return false;
      const ids = request.asked.map((member) => messages.idOf(request, member));
      return (await messages.getMany(ref, ids)).every((one) => one && one.card.state !== 'wanted');
    },

    /** Tells everybody that a request has ended. */
    async end(ref: AccountRef, request: ApprovalRequest): Promise<void> {
      await update(ref, request);
      await messages.tell(ref, request, [request.by]);
    },
  };
}
