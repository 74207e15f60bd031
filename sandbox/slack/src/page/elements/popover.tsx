import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';

const gapPx = 4;

/** Renders content below its anchor, or above it if there is no room. A press elsewhere dismisses it. */
export function Popover(props: {
  anchor: RefObject<HTMLElement | null>;
  /** Whether it is at least as wide as the anchor. */
  wide?: boolean;
  onDismiss: () => void;
  children: ReactNode;
}): ReactNode {
  const { anchor, wide, onDismiss } = props;
  const box = useRef<HTMLDivElement>(null);
  const [style, setStyle] = useState<CSSProperties>({ opacity: 0 });

  useLayoutEffect(() => {
    const position = (): void => {
      const at = anchor.current?.getBoundingClientRect();
      const size = box.current?.getBoundingClientRect();
      if (!at || !size) return;
      const below = window.innerHeight - at.bottom;
      const up = below < size.height + gapPx && at.top > below;
      const left = Math.max(gapPx, Math.min(at.left, window.innerWidth - size.width - gapPx));
      setStyle({
        left,
        ...(up ? { bottom: window.innerHeight - at.top + gapPx } : { top: at.bottom + gapPx }),
        ...(wide ? { minWidth: at.width } : {}),
      });
    };
    position();
    const observer = new ResizeObserver(position);
    if (box.current) observer.observe(box.current);
    window.addEventListener('scroll', position, true);
    window.addEventListener('resize', position);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', position, true);
      window.removeEventListener('resize', position);
    };
  }, [anchor, wide]);

  useEffect(() => {
    const onPress = (event: PointerEvent): void => {
      if (!(event.target instanceof Node)) return;
      if (box.current?.contains(event.target) || anchor.current?.contains(event.target)) return;
      onDismiss();
    };
    document.addEventListener('pointerdown', onPress, true);
    return () => document.removeEventListener('pointerdown', onPress, true);
  }, [anchor, onDismiss]);

  return createPortal(
    <div ref={box} className="popover" style={style}>
      {props.children}
    </div>,
    // Rendered in the anchor's region, for orientation in screen readers.
    anchor.current?.closest('dialog, main, aside, nav') ?? document.body,
  );
}
