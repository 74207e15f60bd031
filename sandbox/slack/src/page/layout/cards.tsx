import type { CardBlock, CarouselBlock, ContainerBlock, KnownBlock } from '@slack/types';
import type { ReactNode } from 'react';
import { InteractiveElement } from '../elements/element.tsx';
import { LibraryBlock } from '../library-block.tsx';
import { Picture, Thumbnail } from '../pictures.tsx';
import { plainText, TextObject } from '../text/text.tsx';

/** Renders a card: a full-width picture, an icon with title and subtitle, a text, and buttons that reach the app. */
export function Card({ block }: { block: CardBlock }): ReactNode {
  const { hero_image, icon, title, subtitle, body, actions } = block;
  return (
    <div className="card-block">
      {hero_image && <Picture block={hero_image} />}
      {(icon || title || subtitle) && (
        <div className="card-head">
          {icon && <Thumbnail image={icon} />}
          <div className="text">
            {title && (
              <strong>
                <TextObject text={title} />
              </strong>
            )}
            {subtitle && (
              <div className="quiet small">
                <TextObject text={subtitle} />
              </div>
            )}
          </div>
        </div>
      )}
      {body && (
        <div className="text">
          <TextObject text={body} />
        </div>
      )}
      {actions && actions.length > 0 && (
        <div className="actions">
          {actions.map((element, index) => (
            <InteractiveElement
              key={element.action_id ?? index}
              element={element}
              blockId={block.block_id ?? ''}
              dispatches
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** Renders cards in a row that scrolls horizontally. */
export function Carousel({ block }: { block: CarouselBlock }): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable
    <div className="carousel" role="group" aria-label="Cards" tabIndex={0}>
      {block.elements.map((card, index) => (
        <Card key={card.block_id ?? index} block={card} />
      ))}
    </div>
  );
}

/** Renders blocks under a title, collapsed if the app says so. */
export function Container(props: {
  block: ContainerBlock;
  /** Renders the blocks inside, which may be of any kind. */
  draw: (blocks: KnownBlock[]) => ReactNode;
}): ReactNode {
  const { block, draw } = props;
  const { title, rich_text_title, subtitle, icon, child_blocks } = block;
  const head = (
    <div className="card-head">
      {icon && <Thumbnail image={icon} />}
      <div className="text">
        {title && <strong>{plainText(title.text, title.emoji)}</strong>}
        {rich_text_title && <LibraryBlock block={rich_text_title} />}
        {subtitle && (
          <div className="quiet small">
            <TextObject text={subtitle} />
          </div>
        )}
      </div>
    </div>
  );
  const divider = block.has_header_divider && <hr />;
  const children = draw(child_blocks as KnownBlock[]);
  const className = `container-block ${block.width ?? 'standard'}`;
  if (!block.is_collapsible)
    return (
      <div className={className}>
        {head}
        {divider}
        {children}
      </div>
    );
  return (
    <details className={className} open={!block.default_collapsed}>
      <summary>{head}</summary>
      {divider}
      {children}
    </details>
  );
}
