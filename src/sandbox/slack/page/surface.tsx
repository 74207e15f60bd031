import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import type { Block, ElementState, OptionsResult, StateValues } from '../model.ts';
import { act, complaint } from './api.ts';
import { useConfirm } from './confirm.tsx';
import { type Actable, collectValues, initialState } from './elements/state.ts';
import { useViewer } from './viewer.ts';

/** What carries blocks: a message (or ephemeral), or a view. */
export type Target = { channel: string; ts: string } | { view_id: string };

/** What the elements of a message or view need from it. */
export interface Surface {
  /** What an element holds now: what the person chose last, else what the app set. */
  stateOf(blockId: string, element: Actable): ElementState;
  /** Keeps what the person chose or typed. */
  change(blockId: string, element: Actable, state: ElementState): void;
  /** Tells the app (block_actions), after asking to confirm where the element says so. False: not confirmed. */
  dispatch(blockId: string, element: Actable, fields: Record<string, unknown>): Promise<boolean>;
  /** What the app offers for the text typed into an external select. */
  options(blockId: string, element: Actable, typed: string): Promise<OptionsResult>;
  /** The element the app is being told about, as `block id/action id`. */
  readonly busy: string | undefined;
}

const SurfaceContext = createContext<Surface | undefined>(undefined);

export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('No surface: elements belong inside a message or a view.');
  return surface;
}

/** What a message or view remembers between the app's updates; `values` is what to submit. */
export interface SurfaceMemory {
  readonly surface: Surface;
  readonly values: () => StateValues;
  /** Why the last action came to nothing. */
  readonly problem: string | undefined;
  setProblem(problem: string | undefined): void;
}

const nothing: StateValues = {};

/**
 * The memory of one message or view. What a person typed stays through updates for as long as its block and action
 * ids do, as on Slack.
 */
export function useSurfaceMemory(
  target: Target,
  blocks: Block[],
  kept: StateValues = nothing,
): SurfaceMemory {
  const viewer = useViewer();
  const confirm = useConfirm();
  const [touched, setTouched] = useState<StateValues>({});
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  // An element may change and be dispatched in the same turn: what is sent must hold the change already.
  const latest = useRef(touched);
  const targetKey = JSON.stringify(target);

  return useMemo(() => {
    const to = JSON.parse(targetKey) as Target;
    const values = () => collectValues(blocks, latest.current, kept);
    const surface: Surface = {
      busy,
      stateOf: (blockId, element) => {
        const actionId = element.action_id ?? '';
        const known = [touched, kept].map((source) => source[blockId]?.[actionId]);
        return known.find((state) => state?.type === element.type) ?? initialState(element);
      },
      change: (blockId, element, state) => {
        const block = { ...latest.current[blockId], [element.action_id ?? '']: state };
        latest.current = { ...latest.current, [blockId]: block };
        setTouched(latest.current);
      },
      dispatch: async (blockId, element, fields) => {
        if (element.confirm && !(await confirm(element.confirm))) return false;
        setBusy(`${blockId}/${element.action_id}`);
        setProblem(undefined);
        const result = await act('click', {
          user: viewer.as,
          ...to,
          block_id: blockId,
          action_id: element.action_id,
          ...fields,
          values: values(),
        });
        setBusy(undefined);
        setProblem(complaint(result, viewer.app.name));
        return true;
      },
      options: (blockId, element, value) =>
        act<OptionsResult>('options', {
          user: viewer.as,
          ...to,
          block_id: blockId,
          action_id: element.action_id,
          value,
        }),
    };
    return { surface, values, problem, setProblem };
  }, [targetKey, blocks, kept, touched, busy, problem, viewer, confirm]);
}

export function SurfaceProvider(props: { surface: Surface; children: ReactNode }): ReactNode {
  return <SurfaceContext value={props.surface}>{props.children}</SurfaceContext>;
}
