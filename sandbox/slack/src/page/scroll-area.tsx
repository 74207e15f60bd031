import type { ComponentProps, ReactNode } from 'react';

/** Renders a scrollable part of the page: a region for F6 that can be scrolled by keyboard. */
export function ScrollArea(props: ComponentProps<'div'> & { label: string }): ReactNode {
  const { label, ...rest } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    <div
      className="messages"
      role="group"
      aria-label={label}
      data-region="messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable
      tabIndex={0}
      {...rest}
    />
  );
}
