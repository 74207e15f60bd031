import { expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import { idleFeatures } from '../harness/features.ts';

const { features } = idleFeatures();

const answered = (kind: 'clicks' | 'typings' | 'submissions') =>
  new Set(features.flatMap((feature) => Object.keys(feature[kind] ?? {})));

interface Element {
  readonly type: string;
  readonly action_id: string;
}

/** Returns what has an action id, however deep. */
function elementsIn(found: unknown): Element[] {
  if (typeof found !== 'object' || found === null) return [];
  const inside = Object.values(found).flatMap(elementsIn);
  return 'action_id' in found ? [found as Element, ...inside] : inside;
}

/** Links do nothing in the bot, the select of a list of rows is read with its button, and the choices of a menu have ids. */
const isSilent = (one: Element) => 'url' in one || one.type.startsWith('multi_') || one.type === 'overflow';

const drawn = entries.map(({ make }) => make());

test('whatever can be pressed or chosen in a view is answered', () => {
  const known = new Set([...answered('clicks'), ...answered('typings')]);
  const pressed = elementsIn(drawn).filter((one) => !isSilent(one));
  // An input without a name of its own.
  const ids = new Set(pressed.map(({ action_id: id }) => id).filter((id) => id !== 'value'));
  expect([...ids].filter((id) => !known.has(id)).sort()).toEqual([]);
});

test('every form that can be sent is answered', () => {
  const forms = drawn.filter((view) => 'submit' in view && view.submit != null);
  const ids = new Set(forms.flatMap((view) => ('callback_id' in view ? [String(view.callback_id)] : [])));
  // The sample of a form with an error has an id of its own.
  const known = answered('submissions').add('x');
  expect([...ids].filter((id) => !known.has(id)).sort()).toEqual([]);
});
