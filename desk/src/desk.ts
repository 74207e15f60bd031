import { type Client, createClient } from './client.ts';
import { createDeciding } from './deciding.ts';
import { createPictures, picturesOf } from './pictures.ts';
import type { Admitted } from './protocol.ts';
import { createReading } from './reading.ts';
import { createStore } from './state.ts';

export type Desk = ReturnType<typeof createDesk>;

const [zoomed, largest] = [2.5, 8];

/** Focuses an element; in a text, at its end. On a narrow screen, its part of the page is shown. */
export function focusOn(id: string): void {
  const element = document.getElementById(id);
  element?.focus();
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
    signOut(): void {
      if (deciding.unsent().unsent > 0) store.say('Not everything is sent yet. Sign out when it is.');
      else client.post('/desk/sign-out', {}).then(() => location.reload(), reading.failed);
    },
    /** Shows a task that was chosen, also on a narrow screen. */
    visit(task: string): void {
      reading.open(task);
      focusOn('task');
    },
    /** Zooms by a factor; without one, in or back out. Arrows scroll what has the focus. */
    zoom(by = store.get().scale > 1 ? 0 : zoomed): void {
      store.set({ scale: Math.min(largest, Math.max(1, store.get().scale * by)) });
      focusOn('stage');
    },
    nextPicture(): void {
      const count = picturesOf(store.task()).length;
      store.set({ picture: (store.get().picture + 1) % Math.max(1, count) });
    },
    /** Closes what is open, one thing after the other. What was typed is kept. */
    close(): void {
      if (store.get().panel) store.set({ panel: undefined });
      else store.set({ scale: 1 });
      focusOn('task');
    },
  };
}
