import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Dialog } from './dialog.tsx';

/** A picture of a message or modal. */
export interface Picture {
  /** Undefined: the file is unknown. */
  readonly url: string | undefined;
  readonly alt: string;
  readonly title: string;
}

type Open = (pictures: Picture[], at: number) => void;
const PictureContext = createContext<Open | undefined>(undefined);

/** Returns a function that opens the picture viewer; undefined where there is none, as in previews. */
export function usePictureViewer(): Open | undefined {
  return useContext(PictureContext);
}

export function PictureProvider({ children }: { children: ReactNode }): ReactNode {
  const [open, setOpen] = useState<{ pictures: Picture[]; at: number }>();
  const show = useCallback<Open>((pictures, at) => setOpen({ pictures, at }), []);
  return (
    <PictureContext value={show}>
      {children}
      {open && (
        <PictureDialog
          {...open}
          onMove={(at) => setOpen({ ...open, at })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </PictureContext>
  );
}

function PictureDialog(props: {
  pictures: Picture[];
  at: number;
  onMove(at: number): void;
  onClose(): void;
}): ReactNode {
  const { pictures, at, onMove } = props;
  const picture = pictures[at];
  const count = pictures.length;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step !== 0 && count > 1) onMove((at + step + count) % count);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [at, count, onMove]);
  if (picture === undefined) return null;
  return (
    <Dialog title={picture.title || picture.alt} wide onClose={props.onClose}>
      <div className="picture-view">
        <img src={picture.url} alt={picture.alt} />
      </div>
      <footer className="dialog-foot picture-foot">
        {count > 1 && (
          <>
            <button type="button" className="button" onClick={() => onMove((at - 1 + count) % count)}>
              <ChevronLeft size={16} aria-hidden="true" /> Previous
            </button>
            <span className="quiet" role="status">
              {at + 1} of {count}
            </span>
            <button type="button" className="button" onClick={() => onMove((at + 1) % count)}>
              Next <ChevronRight size={16} aria-hidden="true" />
            </button>
          </>
        )}
        <a
          className="button"
          href={picture.url}
          download={picture.title || picture.alt}
          target="_blank"
          rel="noopener noreferrer"
        >
          <Download size={16} aria-hidden="true" /> Open file
        </a>
      </footer>
    </Dialog>
  );
}

/** Renders a picture that opens in the viewer, if there is one. */
export function OpenablePicture(props: {
  picture: Picture;
  onError?: () => void;
  onOpen?: () => void;
}): ReactNode {
  const open = usePictureViewer();
  const { picture } = props;
  const image = <img src={picture.url} alt={picture.alt} onError={props.onError} />;
  if (open === undefined) return image;
  return (
    <button
      type="button"
      className="picture-button"
      aria-label={`Open picture: ${picture.alt}`}
      onClick={() => (props.onOpen ? props.onOpen() : open([picture], 0))}
    >
      {image}
    </button>
  );
}
