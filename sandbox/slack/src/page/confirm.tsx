import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { plainText, TextObject } from './text/text.tsx';

type Text = { type: string; text: string };

/** Block Kit's confirmation dialog object. */
interface Confirmation {
  title?: Text;
  text: Text;
  confirm?: Text;
  deny?: Text;
  style?: 'primary' | 'danger';
}

type Ask = (dialog: unknown) => Promise<boolean>;
const ConfirmContext = createContext<Ask | undefined>(undefined);

/** Returns a function that shows an element's `confirm` dialog and resolves with true if the person agrees. */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error('No one to ask: this component belongs inside the workspace.');
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }): ReactNode {
  const [open, setOpen] = useState<{ dialog: Confirmation; answer: (agreed: boolean) => void }>();
  const ask = useCallback<Ask>(
    (dialog) => new Promise((resolve) => setOpen({ dialog: dialog as Confirmation, answer: resolve })),
    [],
  );
  const answer = (agreed: boolean): void => {
    open?.answer(agreed);
    setOpen(undefined);
  };
  return (
    <ConfirmContext value={ask}>
      {children}
      {open && (
        <Dialog
          title={plainText(open.dialog.title?.text ?? 'Are you sure?')}
          narrow
          onClose={() => answer(false)}
        >
          <div className="dialog-body text">
            <TextObject text={open.dialog.text} />
          </div>
          <footer className="dialog-foot">
            <button type="button" className="button" onClick={() => answer(false)}>
              {plainText(open.dialog.deny?.text ?? 'Cancel')}
            </button>
            <button
              type="button"
              className={`button ${open.dialog.style ?? 'primary'}`}
              onClick={() => answer(true)}
            >
              {plainText(open.dialog.confirm?.text ?? 'Yes')}
            </button>
          </footer>
        </Dialog>
      )}
    </ConfirmContext>
  );
}
