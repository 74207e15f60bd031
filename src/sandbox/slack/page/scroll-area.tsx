import type { ComponentProps, ReactNode } from 'react';

/** Renders the part of the page that scrolls: a region for F6, which can be scrolled by keys. */
export function ScrollArea(props: ComponentProps<'div'> & { label: string }): ReactNode {
  const { label, ...rest } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no group of form fields
    <div
      className="messages"
      role="group"
      aria-label={label}
      data-region="messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
      tabIndex={0}
      {...rest}
    />
  );
}
