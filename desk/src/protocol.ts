/** What the desk's page and the bot say to each other. Times are milliseconds since 1970 by the bot's clock. */

export type Verdict = 'OK' | 'NOK' | 'REVISE';

/** Every answer that is no success: { error }, one sentence, made to be shown. Status 401: the session has ended. */

/**
 * POST /desk/session { ticket, isFramed? } → { token?, task? } : the task that the link was about. Outside a frame it sets the
 * cookie; where none is sent, `token` is to be sent as `Authorization: Bearer`.
 */

/** GET /desk/api/me */
export interface Me {
  /** To be sent as the header `x-desk-session` from then on: another session in its place, as of a colleague, ends the page. */
  readonly session: string;
  readonly member: string;
  readonly name: string;
  /** The bot's clock now (ms). */
  readonly now: number;
  /** The campaigns with waiting tasks, and the countries and workers that can be filtered by are typed. */
  readonly campaigns: readonly { readonly id: string; readonly title: string; readonly waiting: number }[];
  /** What concerns everybody now, such as a marketplace that is away; in sentences. */
  readonly warnings: readonly string[];
}

/**
 * POST /desk/api/queue { campaigns?: [id], worker?, country?, text?, mine?: true, label: '' }, as a review is narrowed → the ids of
 * tasks in review order: at most 10,000
 */

/**
 * POST /desk/api/rows { tasks, tab?, task?, ahead? } → Row[] : rows of at most 200 tasks, in any order; those that are gone are left
 * out. With `tab`, which is made up by the tab, it first renews the leases of that tab, which holds the task that is shown and the
 * next ones (at most 20 `ahead`), and gives up its others.
 */

/** A task of the queue. */
export interface Row {
  readonly task: string;
  readonly round: number;
  readonly worker: string;
  readonly country: string;
  readonly campaign: string;
  readonly dueAt?: number | undefined;
  /** Other tasks look like it, or its worker's record is notable. */
  readonly hasEvidence: boolean;
  readonly isMine: boolean;
  readonly assignedTo?: string | undefined;
  /** Identifies the assignment as it is shown, to change it unless somebody was quicker. */
  readonly assignment: string;
  /** Who else has it, by looking at it or as one of their next: J passes it over. */
  readonly heldBy?: string | undefined;
  /** Who of them looks at it now. */
  readonly lookedAtBy?: string | undefined;
  /** Absent while it waits for a decision. */
  readonly decided?: Made | undefined;
}

/** A decision that stands, and what can be done about it. */
export interface Made {
  readonly id: string;
  readonly verdict: Verdict;
  /** What became of it, in a sentence, such as "Ann rated this OK at 10:04." */
  readonly sentence: string;
  /** It can be undone until then, which is far away while it is held; absent: not any more. */
  readonly undoUntil?: number | undefined;
}

export interface ProofFile {
  /** Ready to fetch. */
  readonly url: string;
  readonly name: string;
  readonly kind: 'picture' | 'pdf' | 'other';
}

/** Words of a text, and whether the other round lacks them. */
export interface Piece {
  readonly text: string;
  readonly isDifferent: boolean;
}

/** POST /desk/api/tasks { task } */
export interface Task extends Row {
  /** What was asked, beside what was submitted, slot by slot. */
  readonly slots: readonly {
    readonly asked?: string | undefined;
    readonly pieces: readonly Piece[];
    /** The answer of the round before, if it was another one and both are short enough to be compared. */
    readonly before?: readonly Piece[] | undefined;
    readonly links: readonly { readonly url: string; readonly host: string }[];
  }[];
  readonly instructions?: string | undefined;
  readonly payment?: string | undefined;
  readonly files: readonly ProofFile[];
  /** The round before. */
  readonly before?:
    | {
        readonly comment: string;
        readonly by?: string | undefined;
        readonly files: readonly ProofFile[];
        /** What has changed since, in a sentence, such as "Nothing changed." */
        readonly sentence?: string | undefined;
      }
    | undefined;
  /** Plain sentences, the strongest first; `task`: one that it looks like. */
  readonly evidence: readonly string[];
  /** The worker's record in plain sentences. */
  readonly record: readonly string[];
  /** By whom and when, and the text. */
  readonly notes: readonly { readonly by: string; readonly text: string }[];
  /** Saved reasons, the last used first; `text` is ready to send. */
  readonly reasons: {
    readonly [verdict in 'NOK' | 'REVISE']: readonly {
      readonly id: string;
      readonly name: string;
      readonly text: string;
    }[];
  };
  /** What this member typed about it and did not send. */
  readonly typed?: { readonly verdict: 'NOK' | 'REVISE'; readonly text: string } | undefined;
}

/** POST /desk/api/rate → Outcome: a decision, made once however often it is sent. */
export interface Rate {
  /** The id of its press; that of the decision ends with it. */
  readonly id: string;
  readonly task: string;
  readonly round: number;
  readonly verdict: Verdict;
  readonly comment: string;
  /** The saved reason that the comment began as. */
  readonly reason?: string | undefined;
}

/** What became of one act. `row` is the task as it is now; absent: nothing is stored of it any more. */
export interface Outcome {
  /** `missed`: somebody was first, or it cannot be done so, such as without a reason. */
  readonly kind: 'done' | 'missed';
  /** Absent where nothing needs to be said. */
  readonly sentence?: string | undefined;
  readonly row?: Row | undefined;
}

/** POST /desk/api/undo { task, decision } → Outcome */
/** POST /desk/api/assign { task, seen: `assignment` of its row, to } → Outcome. `to` absent: unassigned. */
/** POST /desk/api/note { task, id, text } → Outcome */
/** POST /desk/api/typed { task, round, verdict, text } → {} : keeps what is typed, as the forms in Slack do */
/** GET /desk/api/members: the people of the account. Whether somebody may rate is checked when a task is assigned to them. */
export type Members = readonly { readonly member: string; readonly name: string }[];

/**
 * GET /desk/api/events, as server-sent events read by fetch, each with the id of a task that has changed, as its row is to be read
 * anew; a new one is in no queue yet. A comment every 15 s.
 */
/** POST /desk/sign-out → {} */
