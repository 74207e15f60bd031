import { flushSync } from 'react-dom';
import { createClient } from './client.ts';
import { createDeciding } from './deciding.ts';
import { createPictures, picturesOf } from './pictures.ts';
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
export function createDesk(client = createClient()) {
  const store = createStore();
  const pictures = createPictures(client, store.redraw);
  const reading = createReading(store, client, pictures);
  const deciding = createDeciding(store, client, reading);

  /** Zooms by a factor; without one, in or back out. A point, in parts of the stage, stays where it is. Arrows scroll it then. */
  function zoom(by?: number, x = 0.5, y = 0.5): void {
    const stage = document.getElementById('stage');
    if (!stage) return;
    const before = store.get().scale;
    const scale = Math.min(largest, Math.max(1, before * (by ?? (before > 1 ? 0 : zoomed))));
    const [dx, dy] = [x * stage.clientWidth, y * stage.clientHeight];
    const [left, top] = [stage.scrollLeft + dx, stage.scrollTop + dy];
    flushSync(() => store.set({ scale }));
    stage.scrollTo((left * scale) / before - dx, (top * scale) / before - dy);
    stage.focus();
  }

  return {
    store,
    client,
    pictures,
    reading,
    deciding,
    /** Enters with the ticket of a link, or goes on with the session of this browser. Throws why it cannot. */
    async enter(ticket: string): Promise<void> {
      type Admitted = { readonly token?: string; readonly task?: string };
      const given = { ticket, isFramed: window.top !== window };
      const { token, task } = ticket === '' ? {} : await client.post<Admitted>('/desk/session', given);
      if (token) client.admit(token);
      await reading.start(task, deciding.wake);
      window.addEventListener('online', deciding.wake);
      window.addEventListener('beforeunload', (event) => {
        if (deciding.state().unsent > 0) event.preventDefault();
      });
    },
    signOut(): void {
      if (deciding.state().unsent > 0) store.say('Not everything is sent yet. Sign out when it is.');
      else client.post('/desk/sign-out', {}).then(() => location.reload(), reading.failed);
    },
    /** Shows a task that was chosen, also on a narrow screen. */
    visit(task: string): void {
      reading.open(task);
      focusOn('task');
    },
    zoom,
    /** Zooms the picture that is pointed at. */
    zoomAt(
      { target, clientX, clientY }: Pick<MouseEvent, 'target' | 'clientX' | 'clientY'>,
      by?: number,
    ): void {
      const figure = target instanceof HTMLImageElement ? target.closest('figure') : null;
      const box = store.get().scale > 1 ? figure?.parentElement : figure;
      if (!figure || !box) return;
      const { left, top, width, height } = box.getBoundingClientRect();
      store.set({ picture: Number(figure.dataset.at) });
      zoom(by, (clientX - left) / width, (clientY - top) / height);
    },
    nextPicture(): void {
      const count = picturesOf(store.task()).length;
      store.set({ picture: (store.get().picture + 1) % Math.max(1, count) });
    },
    /** Closes what is open, one thing after the other. What was typed is kept. */
    close(): void {
      const { dialog, asking } = store.get();
      store.set(dialog ? { dialog: undefined } : asking ? { asking: undefined } : { scale: 1 });
      focusOn('task');
    },
  };
}
