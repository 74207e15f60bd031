import type { Client } from './client.ts';
import { type Act, createOutbox } from './outbox.ts';
import type { Made, Outcome, Rate, Rated, Verdict } from './protocol.ts';
import type { Reading } from './reading.ts';
import type { Decision, ReasonForm, Store } from './state.ts';
import { counted, said } from './words.ts';

/** An OK that is pressed so soon (ms) after its task appeared was meant for the one before. */
const doublePressMs = 300;
const mostAtOnce = 100;
const typedMs = 1_000;

/** Decides, undoes, assigns and notes. What is pressed is shown at once, and sent until it is answered. */
export function createDeciding(store: Store, client: Client, reading: Reading) {
  const outbox = createOutbox(() => store.redraw());
  /** What was typed and not sent, by task. */
  const drafts = new Map<string, Pick<ReasonForm, 'verdict' | 'text'>>();
  /** What carries a decision that is not answered yet. */
  const carriers = new Map<string, Act>();
  let typedTimer: ReturnType<typeof setTimeout> | undefined;

  const change = (id: string, to: Partial<Decision>) =>
    store.set({
      decisions: store.get().decisions.map((one) => (one.id === id ? { ...one, ...to } : one)),
    });

  /** Returns the tasks that a press is about: those selected, or the one that is shown. */
  function targets(): string[] {
    const { order, selected, current } = store.get();
    if (selected.size > 0) return order.filter((task) => selected.has(task));
    return current !== undefined && store.tasks.has(current) && !store.gone.has(current) ? [current] : [];
  }

  /** Begins a rating: OK is made at once, NOK and REVISE show their reason first, several tasks their number. */
  function rate(verdict: Verdict): void {
    const tasks = targets();
    const [first] = tasks;
    if (first === undefined) return;
    const rating = tasks.length === 1 ? store.rating(first) : undefined;
    if (rating) {
      store.say(store.rows.get(first)?.decided?.sentence ?? `You already rated this ${rating}.`, true);
    } else if (verdict === 'OK' && store.get().panel) {
      store.set({ panel: undefined });
      store.say('Closed. Press O again for OK.', true);
    } else if (verdict !== 'OK') {
      openReason(verdict, tasks);
    } else if (store.get().selected.size > 0) {
      store.set({ panel: { kind: 'confirm', tasks } });
    } else if (reading.shownForMs() < doublePressMs) {
      store.say('That OK came too soon after the task appeared, and was ignored.', true);
    } else {
      make('OK', tasks, '');
    }
  }

  function openReason(verdict: 'NOK' | 'REVISE', tasks: readonly string[]): void {
    const [first = ''] = tasks;
    const task = store.tasks.get(first);
    const saved = (task ?? store.tasks.get(store.get().current ?? ''))?.reasons[verdict] ?? [];
    const draft = drafts.get(first) ?? task?.typed;
    const own = draft?.text ? draft.text : undefined;
    const isDraft = own !== undefined && draft?.verdict === verdict;
    const last = isDraft ? undefined : saved[0];
    store.set({
      panel: {
        kind: 'reason',
        verdict,
        tasks,
        text: isDraft ? own : (last?.text ?? ''),
        reason: last?.id,
        own,
      },
    });
  }

  /** Returns the saved reasons that the open form offers. */
  function savedReasons({ verdict, tasks: [first = ''] }: ReasonForm) {
    const { current = '' } = store.get();
    return (store.tasks.get(first) ?? store.tasks.get(current))?.reasons[verdict] ?? [];
  }

  function withForm(act: (form: ReasonForm) => void): void {
    const { panel } = store.get();
    if (panel?.kind === 'reason') act(panel);
  }

  function typed(text: string): void {
    withForm((form) => {
      store.set({ panel: { ...form, text, own: text } });
      keep(form.tasks, form.verdict, text);
    });
  }

  /** Keeps what was typed, here and with the bot, as the forms in Slack do. */
  function keep(tasks: readonly string[], verdict: 'NOK' | 'REVISE', text: string): void {
    const [task = ''] = tasks;
    drafts.set(task, { verdict, text });
    clearTimeout(typedTimer);
    if (tasks.length === 1)
      typedTimer = setTimeout(() => {
        const round = store.rows.get(task)?.round;
        client.post('/desk/api/typed', { task, round, verdict, text }).catch(reading.failed);
      }, typedMs);
  }

  function send(): void {
    const { panel } = store.get();
    if (panel?.kind === 'confirm') {
      make('OK', panel.tasks, '');
    } else if (panel?.kind === 'reason') {
      const comment = panel.text.trim();
      if (comment === '') store.say('Write the reason first.', true);
      else make(panel.verdict, panel.tasks, comment, panel.reason);
    }
  }

  function make(verdict: Verdict, tasks: readonly string[], comment: string, reason?: string): void {
    clearTimeout(typedTimer);
    const { decisions, selected, current } = store.get();
    const press = crypto.randomUUID();
    const made = tasks.map(
      (task): Decision => ({
        id: crypto.randomUUID(),
        press,
        task,
        worker: store.worker(task),
        verdict,
        comment,
        state: 'sending',
      }),
    );
    store.set({
      decisions: [...made, ...decisions].slice(0, 500),
      selected: new Set([...selected].filter((task) => !tasks.includes(task))),
      panel: undefined,
    });
    for (let at = 0; at < made.length; at += mostAtOnce)
      post(verdict, comment, reason, made.slice(at, at + mostAtOnce));
    if (current !== undefined && tasks.includes(current)) reading.goOn();
    store.say(`${said(verdict, made)} ${nextSentence()}`);
  }

  function post(
    verdict: Verdict,
    comment: string,
    reason: string | undefined,
    made: readonly Decision[],
  ): void {
    const body: Rate = {
      verdict,
      comment,
      ...(reason === undefined ? {} : { reason }),
      tasks: made.map(({ id, task }) => ({ id, task, round: store.rows.get(task)?.round ?? 1 })),
    };
    const act: Act = {
      decisions: made.length,
      send: async () => {
        const rated = await client.post<Rated>('/desk/api/rate', body);
        made.forEach((one, at) => void settle(one, rated[at]));
      },
      refuse: (sentence) => {
        for (const one of made) settle(one, { task: one.task, kind: 'refused', sentence });
      },
    };
    for (const { id } of made) carriers.set(id, act);
    outbox.add(act);
  }

  /** Shows what became of a decision. Its text stays in reach if it was not made. */
  function settle({ id, task, verdict, comment }: Decision, outcome: Outcome | undefined): void {
    carriers.delete(id);
    if (outcome?.row) store.rows.set(task, outcome.row);
    const isMade = outcome?.kind === 'done';
    const sentence =
      outcome?.sentence ?? (isMade ? undefined : 'This couldn’t be rated. Open it and look again.');
    if (isMade) drafts.delete(task);
    else if (verdict !== 'OK') drafts.set(task, { verdict, text: comment });
    const made: Made | undefined = isMade ? outcome.row?.decided : undefined;
    change(id, { state: isMade ? 'done' : 'missed', sentence, made });
    if (!isMade) store.say(`${store.worker(task)}: ${sentence}${comment ? ' Your text is kept.' : ''}`, true);
  }

  /** Sends one act about a task, and says what became of it if something needs to be said. */
  function act(path: string, task: string, body: object, done: (outcome: Outcome) => void): void {
    outbox.add({
      decisions: 0,
      send: async () => {
        const outcome = await client.post<Outcome>(path, { task, ...body });
        if (outcome.row) store.rows.set(task, outcome.row);
        done(outcome);
        if (outcome.sentence) store.say(outcome.sentence, true);
      },
      refuse: (sentence) => {
        done({ task, kind: 'refused' });
        store.say(sentence, true);
      },
    });
  }

  /** Returns whether a decision can be undone now. */
  function canUndo({ state, made }: Decision): boolean {
    if (state === 'sending') return true;
    return state === 'done' && (made?.isHeld === true || (made?.undoUntil ?? 0) > store.now());
  }

  function undo(decisions: readonly Decision[]): void {
    for (const one of decisions) {
      const carrier = carriers.get(one.id);
      if (carrier && carrier.decisions === decisions.length && outbox.drop(carrier)) {
        for (const each of decisions) change(each.id, { state: 'undone' });
        break;
      }
      change(one.id, { state: 'undoing' });
      const made = () => store.get().decisions.find(({ id }) => id === one.id)?.made;
      outbox.add(undoing(one, made));
    }
    const [first] = decisions;
    if (!first) return;
    store.say(
      decisions.length === 1
        ? `${first.verdict} for ${first.worker} is undone.`
        : `${counted(decisions.length, 'decision')} are undone.`,
    );
    reading.open(first.task);
  }

  function undoing(one: Decision, made: () => Made | undefined): Act {
    const { id, task } = one;
    const stays = (sentence: string | undefined) => {
      change(id, { state: 'done', sentence });
      store.say(sentence ?? 'This can’t be undone any more.', true);
    };
    return {
      decisions: 0,
      send: async () => {
        // Its rating was missed meanwhile.
        if (store.get().decisions.find((each) => each.id === id)?.state === 'missed') return;
        const decision = made()?.id ?? id;
        const outcome = await client.post<Outcome>('/desk/api/undo', { task, decision });
        if (outcome.row) store.rows.set(task, outcome.row);
        if (outcome.kind === 'done') change(id, { state: 'undone', sentence: undefined });
        else stays(outcome.sentence);
      },
      refuse: stays,
    };
  }

  /** Returns what comes now, for those who don't see it. */
  function nextSentence(): string {
    const { current } = store.get();
    const row = current === undefined ? undefined : store.rows.get(current);
    return row && reading.isFree(row.task) ? `Next: ${row.worker}, ${row.campaign}.` : 'No more tasks.';
  }

  const withCurrent = (use: (task: string) => void) => {
    const { current } = store.get();
    if (current !== undefined && store.tasks.has(current)) use(current);
  };

  return {
    rate,
    typed,
    send,
    canUndo,
    savedReasons,
    unsent: outbox.state,
    wake: outbox.wake,
    /** Chooses a saved reason by its number; 0 is what was typed. */
    choose: (number: number) =>
      withForm((form) => {
        const saved = savedReasons(form)[number - 1];
        if (saved) store.set({ panel: { ...form, text: saved.text, reason: saved.id } });
        else if (number === 0 && form.own !== undefined)
          store.set({ panel: { ...form, text: form.own, reason: undefined } });
      }),
    /** Undoes one decision, or all of the last press that still can be undone. */
    undo(decision?: Decision): void {
      const { decisions } = store.get();
      const last = decisions.find(canUndo);
      if (decision) undo([decision]);
      else if (last) undo(decisions.filter((one) => one.press === last.press && canUndo(one)));
      else store.say('There is nothing to undo.', true);
    },
    /** Undoes the decision that a task shows: this page's, or an earlier one. */
    undoMade(task: string, made: Made): void {
      const own = store.ownDecision(task);
      if (own) undo([own]);
      else act('/desk/api/undo', task, { decision: made.id }, () => store.redraw());
    },
    /** Opens the reason that was written for a task that could not be rated. */
    showText(decision: Decision): void {
      reading.open(decision.task);
      if (decision.verdict !== 'OK') openReason(decision.verdict, [decision.task]);
    },
    /** Takes the current task, or releases it. */
    take: () =>
      withCurrent((task) => {
        const row = store.rows.get(task);
        const seen = row?.assignedTo ?? '';
        act(`/desk/api/${row?.isMine ? 'assign' : 'take'}`, task, { seen }, ({ kind, sentence }) => {
          if (kind === 'done' && !sentence)
            store.say(row?.isMine ? 'Now unassigned.' : 'Assigned to you.', true);
        });
      }),
    assign: (to: { member: string; name: string } | undefined) =>
      withCurrent((task) => {
        const seen = store.rows.get(task)?.assignedTo ?? '';
        store.set({ panel: undefined });
        act('/desk/api/assign', task, { seen, ...(to ? { to: to.member } : {}) }, ({ kind, sentence }) => {
          if (kind === 'done' && !sentence)
            store.say(to ? `Assigned to ${to.name}.` : 'Now unassigned.', true);
        });
      }),
    note: (text: string) =>
      withCurrent((task) => {
        const me = store.get().me?.name ?? '';
        const known = store.tasks.get(task);
        // Shown at once; the answer's change brings it as it is stored.
        if (known) store.setTask({ ...known, notes: [...known.notes, { by: me, at: store.now(), text }] });
        act('/desk/api/note', task, { id: crypto.randomUUID(), text }, ({ kind, sentence }) => {
          if (kind === 'done' && !sentence) store.say('Note saved.', true);
        });
      }),
    select: (isKept: boolean) =>
      withCurrent((task) => {
        const selected = new Set(store.get().selected);
        const wasSelected = selected.delete(task);
        if (!wasSelected && isKept && reading.isFree(task)) selected.add(task);
        store.set({ selected });
        store.say(
          wasSelected
            ? `${store.worker(task)} is unselected.`
            : `${counted(selected.size, 'task')} selected.`,
        );
        if (!wasSelected && isKept) reading.goOn();
      }),
    clearSelection: () => store.set({ selected: new Set<string>() }),
  };
}
