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

/** Content floating at its anchor, below it or, where there is no room, above. A press elsewhere dismisses it. */
export function Popover(props: {
  anchor: RefObject<HTMLElement | null>;
  /** As wide as the anchor, at least. */
  wide?: boolean;
  onDismiss: () => void;
  children: ReactNode;
}): ReactNode {
  const { anchor, wide, onDismiss } = props;
  const box = useRef<HTMLDivElement>(null);
  const [style, setStyle] = useState<CSSProperties>({ visibility: 'hidden' });

  useLayoutEffect(() => {
    const place = (): void => {
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
    place();
    const observer = new ResizeObserver(place);
    if (box.current) observer.observe(box.current);
    window.addEventListener('scroll', place, true);
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', place, true);
      window.removeEventListener('resize', place);
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
    document.body,
  );
}
