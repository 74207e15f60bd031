import type { ElementState } from '../../model.ts';
import { useSurface } from '../surface.tsx';
import { type Actable, stateWith, valueField } from './state.ts';

/** The props that all element components share. */
export interface ElementProps<Element> {
  element: Element;
  blockId: string;
  /** The accessible name. */
  label: string;
  /** Whether every choice is sent to the app (always outside input blocks, inside them with `dispatch_action`). */
  dispatches: boolean;
  /** The id of the value's error message. */
  errorId?: string | undefined;
  /** Whether the value can be cleared. */
  optional?: boolean;
}

export interface ElementHandle {
  /** The current value, such as the selected option. */
  readonly value: unknown;
  readonly busy: boolean;
  /** Stores a value without telling the app. */
  keep(value: unknown): void;
  /** Stores a value, and sends it to the app if the element dispatches. Reverts it if the person does not confirm. */
  choose(value: unknown): void;
  /** Sends an action without a value to the app: a click, a menu entry. */
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
