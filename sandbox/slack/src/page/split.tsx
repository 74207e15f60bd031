import type { ReactNode } from 'react';
import type { User } from '../model.ts';
import { addressWith } from './use-address.ts';

/** Returns the people shown side by side, from the address `?as=U01ANN&beside=U02BEN`; none if it names only one. */
export function peopleInAddress(users: readonly User[]): User[] {
  const params = new URLSearchParams(window.location.search);
  const beside = params.getAll('beside');
  if (beside.length === 0) return [];
  return [params.get('as'), ...beside].flatMap((id) => users.find((user) => user.id === id) ?? []);
}

/** Whether this page is one of several shown side by side. */
export const isBeside = window.parent !== window;

/** Renders the workspace once per person, as that person sees it. */
export function Split({ people }: { people: User[] }): ReactNode {
  return (
    <main className="split" aria-label="People side by side">
      {people.map(({ id, real_name }) => (
        <section key={id} aria-label={real_name}>
          <h2>{real_name}</h2>
          <iframe title={`Workspace of ${real_name}`} src={addressWith({ as: id, beside: undefined }).href} />
        </section>
      ))}
    </main>
  );
}

/** Shows another person beside this one or, if several are shown, only this one. */
export function toggleBeside(as: string, users: readonly User[]): void {
  const other = users.find(({ id, is_bot }) => !is_bot && id !== as)?.id;
  const address = addressWith({ as, beside: isBeside ? undefined : other });
  (isBeside ? window.parent : window).location.href = address.href;
}
