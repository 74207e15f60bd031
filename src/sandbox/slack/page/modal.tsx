import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SubmitResult, View } from '../model.ts';
import { act, complaint, timedOut } from './api.ts';
import { Blocks } from './blocks.tsx';
import { Dialog } from './dialog.tsx';
import { SurfaceProvider, useSurfaceMemory } from './surface.tsx';
import { plainText } from './text/text.tsx';
import { useViewer } from './viewer.ts';

/** The modals open for the person: the last one is seen, those under it keep what was typed. */
export function Modals({ views }: { views: View[] }): ReactNode {
  return views.map((view, index) => <Modal key={view.id} view={view} hidden={index < views.length - 1} />);
}

/** Whether a page that takes the place of another puts the focus here, and so into sight. */
function hasFocusOnLoad(block: View['blocks'][number]): boolean {
  const { element } = block as { element?: { focus_on_load?: boolean } };
  return block.type === 'input' && element?.focus_on_load === true;
}

function Modal({ view, hidden }: { view: View; hidden: boolean }): ReactNode {
  const viewer = useViewer();
  const memory = useSurfaceMemory({ view_id: view.id }, view.blocks, view.state.values);
  const [submitting, setSubmitting] = useState(false);

  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(view.errors).length === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [view.errors]);
  const focused = view.blocks.find(hasFocusOnLoad)?.block_id;
  useEffect(() => {
    if (focused !== undefined) form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [focused]);

  const submit = async (): Promise<void> => {
    setSubmitting(true);
    memory.setProblem(undefined);
    const body = { user: viewer.as, view_id: view.id, values: memory.values() };
    const result = await act<SubmitResult>('submit', body);
    setSubmitting(false);
    // What is wrong with single fields comes with the view.
    if (result.errors && Object.keys(result.errors).length > 0) return;
    if (timedOut(result))
      memory.setProblem('We had some trouble connecting: operation timed out. Try again?');
    else memory.setProblem(complaint(result, viewer.app.name));
  };
  const close = (all: boolean): void => {
    void act('close', { user: viewer.as, view_id: view.id, ...(all ? { all } : {}) });
  };

  return (
    <Dialog title={plainText(view.title?.text ?? '')} hidden={hidden} onClose={() => close(true)}>
      <form
        ref={form}
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (view.submit && !submitting) void submit();
        }}
      >
        <div className="dialog-body">
          {memory.problem && (
            <p role="alert" className="problem banner">
              {memory.problem}
            </p>
          )}
          <SurfaceProvider surface={memory.surface}>
            <Blocks blocks={view.blocks} errors={view.errors} />
          </SurfaceProvider>
        </div>
        <footer className="dialog-foot">
          <button type="button" className="button" onClick={() => close(false)}>
            {plainText(view.close?.text ?? (view.submit ? 'Cancel' : 'Close'))}
          </button>
          {view.submit && (
            <button type="submit" className="button primary" aria-busy={submitting}>
              {plainText(view.submit.text)}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
