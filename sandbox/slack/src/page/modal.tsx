import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SubmitResult, View } from '../model.ts';
import { act, failureText, timedOut } from './api.ts';
import { Blocks } from './blocks.tsx';
import { Dialog } from './dialog.tsx';
import { SurfaceProvider, useSurfaceState } from './surface.tsx';
import { plainText } from './text/text.tsx';
import { useViewer } from './viewer.ts';

/** Renders the person's open modals. Only the last is visible; the others keep their input. */
export function Modals({ views }: { views: View[] }): ReactNode {
  return views.map((view, index) => <Modal key={view.id} view={view} hidden={index < views.length - 1} />);
}

/** Returns whether a view that replaces another focuses, and thereby scrolls to, an element of this block. */
function hasFocusOnLoad(block: View['blocks'][number]): boolean {
  const { element } = block as { element?: { focus_on_load?: boolean } };
  return block.type === 'input' && element?.focus_on_load === true;
}

function Modal({ view, hidden }: { view: View; hidden: boolean }): ReactNode {
  const viewer = useViewer();
  const memory = useSurfaceState({ view_id: view.id }, view.blocks, view.state.values);
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
    // The view already has the errors of single fields.
    if (result.errors && Object.keys(result.errors).length > 0) return;
    if (timedOut(result))
      memory.setProblem('We had some trouble connecting: operation timed out. Try again?');
    else memory.setProblem(failureText(result, viewer.app.name));
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
        <ModalFoot view={view} submitting={submitting} onClose={() => close(false)} />
      </form>
    </Dialog>
  );
}

/** Renders the buttons of a modal: close, and submit if it has something to submit. */
export function ModalFoot(props: {
  view: { readonly [Button in 'submit' | 'close']?: { readonly text: string } | null | undefined };
  submitting: boolean;
  onClose: () => void;
}): ReactNode {
  const { submit, close } = props.view;
  return (
    <footer className="dialog-foot">
      <button type="button" className="button" onClick={props.onClose}>
        {plainText(close?.text ?? (submit ? 'Cancel' : 'Close'))}
      </button>
      {submit && (
        <button type="submit" className="button primary" aria-busy={props.submitting}>
          {plainText(submit.text)}
        </button>
      )}
    </footer>
  );
}
