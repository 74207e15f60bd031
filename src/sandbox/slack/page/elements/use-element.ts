import type { ElementState } from '../../model.ts';
import { useSurface } from '../surface.tsx';
import { type Actable, stateWith, valueField } from './state.ts';

/** What every element component is given. */
export interface ElementProps<Element> {
  element: Element;
  blockId: string;
  /** The accessible name. */
  label: string;
  /** Whether the app hears of every choice (always outside input blocks, there by `dispatch_action`). */
  dispatches: boolean;
  /** Id of the text that says what is wrong with the value. */
  errorId?: string | undefined;
  /** May be emptied again. */
  optional?: boolean;
}

export interface ElementHandle {
  /** What it holds, e.g. the selected option. */
  readonly value: unknown;
  readonly busy: boolean;
  /** Stores a value without telling the app. */
  keep(value: unknown): void;
  /** Stores a value and sends it to the app where the element dispatches. Reverts when it is not confirmed. */
  choose(value: unknown): void;
  /** Sends the app something that is not a value: a click, a menu entry. */
  send(fields: Record<string, unknown>): void;
}

/** Returns access to an element's value in its message or view. */
export function useElement(props: ElementProps<object>): ElementHandle {
  const surface = useSurface();
  const element = props.element as Actable;
  const { blockId } = props;
  const state: ElementState = surface.stateOf(blockId, element);
  const value = state[valueField(element.type)];
  const keep = (next: unknown): void => surface.change(blockId, element, stateWith(element.type, next));
  const choose = async (next: unknown): Promise<void> => {
    keep(next);
    if (!props.dispatches) return;
    const { type: _, ...fields } = stateWith(element.type, next);
    if (!(await surface.dispatch(blockId, element, fields))) keep(value);
  };
  return {
    value,
    busy: surface.busy === `${blockId}/${element.action_id}`,
    keep,
    choose: (next) => void choose(next),
    send: (fields) => void surface.dispatch(blockId, element, fields),
  };
}
