import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Client, createClient } from './client.ts';
import { createDeciding } from './deciding.ts';
import { createPictures, picturesOf } from './pictures.ts';
import type { Admitted } from './protocol.ts';
import { createReading } from './reading.ts';
import { createStore, type DeskState } from './state.ts';

export type Desk = ReturnType<typeof createDesk>;

const [zoomed, largest] = [2.5, 8];

/** Focuses an element; in a text, at its end. */
export function focusOn(id: string): void {
  const element = document.getElementById(id);
  element?.focus({ preventScroll: true });
  if (element instanceof HTMLTextAreaElement)
    element.setSelectionRange(element.value.length, element.value.length);
}

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
    /** Focuses a field beside the task, which a narrow screen shows first. */
    openSheet(sheet: 'queue' | 'facts', field: string): void {
      store.set({ sheet });
      requestAnimationFrame(() => focusOn(field));
    },
    /** Zooms by a factor; without one, in or back out. */
    zoom(by = store.get().scale > 1 ? 0 : zoomed): void {
      store.set({ scale: Math.min(largest, Math.max(1, store.get().scale * by)) });
    },
    nextPicture(): void {
      const count = picturesOf(store.task()).length;
      store.set({ picture: (store.get().picture + 1) % Math.max(1, count) });
    },
    /** Closes what is open, one thing after the other. What was typed is kept. */
    close(): void {
      const { panel, sheet } = store.get();
      if (panel) store.set({ panel: undefined });
      else if (sheet) store.set({ sheet: undefined });
      else store.set({ scale: 1 });
      focusOn('task');
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
