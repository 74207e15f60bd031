import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Client, createClient } from './client.ts';
import { createDeciding } from './deciding.ts';
import { createPictures } from './pictures.ts';
import type { Admitted, Task } from './protocol.ts';
import { createReading } from './reading.ts';
import { createStore, type DeskState } from './state.ts';
import { shownFiles } from './view.ts';

export type Desk = ReturnType<typeof createDesk>;

/** Composes what the page is made of. */
export function createDesk(client: Client = createClient()) {
  const store = createStore();
  const pictures = createPictures(client, store.redraw);
  const reading = createReading(store, client, pictures);
  const deciding = createDeciding(store, client, reading);

  return {
    store,
    client,
    pictures,
    reading,
    deciding,
    /** Enters with the ticket of a link, or goes on with the session of this browser. Throws why it cannot. */
    async enter(ticket: string): Promise<void> {
      let task: string | undefined;
      if (ticket !== '') {
        const isFramed = window.top !== window;
        const admitted = await client.post<Admitted>('/desk/session', { ticket, isFramed });
        client.admit(admitted.token);
        task = admitted.task;
      }
      await reading.start(task, deciding.wake);
      window.addEventListener('online', deciding.wake);
      window.addEventListener('beforeunload', (event) => {
        if (deciding.unsent().unsent > 0) event.preventDefault();
      });
    },
    /** Shows a task that was chosen, in place of what lies over it on a narrow screen. */
    visit(task: string): void {
      store.set({ sheet: undefined });
      reading.open(task);
    },
    /** Returns the task that is shown, if it is read. */
    task: (): Task | undefined => store.tasks.get(store.get().current ?? ''),
    files: (): ReturnType<typeof shownFiles> => {
      const task = store.tasks.get(store.get().current ?? '');
      return task ? shownFiles(task) : [];
    },
  };
}

export const DeskContext = createContext<Desk | undefined>(undefined);

/** Returns the desk and its state, and draws again when it changes. */
export function useDesk(): Desk & { readonly state: DeskState } {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('There is no desk around this.');
  return { ...desk, state: useSyncExternalStore(desk.store.subscribe, desk.store.get) };
}
