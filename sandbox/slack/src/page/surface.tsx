import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import type { Block, ElementState, OptionsResult, StateValues } from '../model.ts';
import { act, failureText } from './api.ts';
import { useConfirm } from './confirm.tsx';
import { type Actable, collectValues, initialState } from './elements/state.ts';
import { useViewer } from './viewer.ts';

/** The target of actions: a message (or ephemeral), or a view. */
export type Target = { channel: string; ts: string } | { view_id: string };

/** What a message or view provides to its elements. */
export interface Surface {
  /** Returns an element's state: the person's last choice, otherwise the app's initial value. */
  stateOf(blockId: string, element: Actable): ElementState;
  /** Stores the person's choice or text. */
  change(blockId: string, element: Actable, state: ElementState): void;
  /** Sends block_actions to the app, after the element's confirmation if it has one. False: not confirmed. */
  dispatch(blockId: string, element: Actable, fields: Record<string, unknown>): Promise<boolean>;
  /** Returns the app's options for the text typed into an external select. */
  options(blockId: string, element: Actable, typed: string): Promise<OptionsResult>;
  /** The element whose action is being sent, as `block id/action id`. */
  readonly busy: string | undefined;
}

const SurfaceContext = createContext<Surface | undefined>(undefined);

export function useSurface(): Surface {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('No surface: elements belong inside a message or a view.');
  return surface;
}

/** The state of a message or view between the app's updates; `values` is submitted. */
export interface SurfaceState {
  readonly surface: Surface;
  readonly values: () => StateValues;
  /** The error of the last action. */
  readonly problem: string | undefined;
  setProblem(problem: string | undefined): void;
}

const nothing: StateValues = {};

/**
 * Stores the state of one message or view. Input survives updates as long as its block and action ids exist, as on
 * Slack.
 */
export function useSurfaceState(
  target: Target,
  blocks: Block[],
  stored: StateValues = nothing,
): SurfaceState {
  const viewer = useViewer();
  const confirm = useConfirm();
  const [touched, setTouched] = useState<StateValues>({});
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  // A ref, because an element may change and dispatch in the same event, and the payload must include the change.
  const latest = useRef(touched);
  const targetKey = JSON.stringify(target);

  return useMemo(() => {
    const to = JSON.parse(targetKey) as Target;
    const values = () => collectValues(blocks, latest.current, stored);
    const surface: Surface = {
      busy,
      stateOf: (blockId, element) => {
        const actionId = element.action_id ?? '';
        const known = [touched, stored].map((source) => source[blockId]?.[actionId]);
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
        setProblem(failureText(result, viewer.app.name));
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
  }, [targetKey, blocks, stored, touched, busy, problem, viewer, confirm]);
}

export function SurfaceProvider(props: { surface: Surface; children: ReactNode }): ReactNode {
  return <SurfaceContext value={props.surface}>{props.children}</SurfaceContext>;
}
