import type {
  ContextBlock,
  ImageBlock,
  ImageElement,
  InputBlock,
  KnownBlock,
  SectionBlock,
} from '@slack/types';
import { type ReactNode, useId, useState } from 'react';
import type { Block } from '../model.ts';
import { InteractiveElement } from './elements/element.tsx';
import { typed } from './elements/state.ts';
import { LibraryBlock } from './library-block.tsx';
import { OpenablePicture } from './picture-viewer.tsx';
import { Table } from './table.tsx';
import { plainText, TextObject } from './text/text.tsx';
import { useViewer } from './viewer.ts';

/**
 * Renders blocks as Slack does. Texts, tables and interactive elements are rendered here, because slack-blocks-to-jsx
 * parses plain text as markdown and reports no clicks; it renders rich text, charts and the rest.
 */
export function Blocks(props: {
  blocks: Block[];
  errors?: Record<string, string>;
  /** Stands at the end of the last text, in its line: `(edited)`. */
  mark?: ReactNode;
}): ReactNode {
  const blocks = typed(props.blocks);
  const marked = props.mark ? blocks.findLastIndex(hasText) : -1;
  return (
    <div className="blocks">
      {blocks.map((block, index) => (
        <BlockView
          key={block.block_id ?? index}
          block={block}
          error={props.errors?.[block.block_id ?? '']}
          mark={index === marked ? props.mark : undefined}
        />
      ))}
      {marked < 0 && props.mark}
    </div>
  );
}

function hasText(block: KnownBlock): boolean {
  return (block.type === 'section' && block.text !== undefined) || block.type === 'context';
}

function BlockView(props: { block: KnownBlock; error: string | undefined; mark: ReactNode }): ReactNode {
  const { block, error, mark } = props;
  const blockId = block.block_id ?? '';
  switch (block.type) {
    case 'section':
      return <Section block={block} mark={mark} />;
    case 'context':
      return <Context block={block} mark={mark} />;
    case 'header':
      return <h3 className="header-block">{plainText(block.text.text, block.text.emoji)}</h3>;
    case 'divider':
      return <hr />;
    case 'image':
      return <Picture block={block} />;
    case 'actions':
      return (
        <div className="actions">
          {block.elements.map((element) => (
            <InteractiveElement
              key={element.action_id ?? ''}
              element={element}
              blockId={blockId}
              dispatches
            />
          ))}
        </div>
      );
    case 'input':
      return <Input block={block} error={error} />;
    case 'table':
    case 'data_table':
      return <Table block={block} />;
    default:
      return <LibraryBlock block={block} />;
  }
}

function Section({ block, mark }: { block: SectionBlock; mark: ReactNode }): ReactNode {
  const { accessory } = block;
  return (
    <div className="section">
      <div className="section-text text">
        {block.text && (
          <div className={mark ? 'has-edited' : undefined}>
            <TextObject text={block.text} />
            {mark}
          </div>
        )}
        {block.fields && (
          <div className="fields">
            {block.fields.map((field, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: fields have no id, and no state either
              <div key={index}>
                <TextObject text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {accessory && (
        <div className="accessory">
          {accessory.type === 'image' ? (
            <Thumbnail image={accessory} />
          ) : (
            <InteractiveElement element={accessory} blockId={block.block_id ?? ''} dispatches />
          )}
        </div>
      )}
    </div>
  );
}

function Context({ block, mark }: { block: ContextBlock; mark: ReactNode }): ReactNode {
  return (
    <div className="context text">
      {block.elements.map((element, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: elements of a context have no id, and no state either
        <div key={index}>
          {element.type === 'image' ? <Thumbnail image={element} /> : <TextObject text={element} />}
        </div>
      ))}
      {mark}
    </div>
  );
}

function Input({ block, error }: { block: InputBlock; error: string | undefined }): ReactNode {
  const errorId = useId();
  return (
    <div className={error ? 'input-block wrong' : 'input-block'}>
      {/* The same words are the control's accessible name; some inputs are more than one control. */}
      <div className="label" aria-hidden="true">
        {plainText(block.label.text, block.label.emoji)}
        {block.optional && <span className="quiet"> (optional)</span>}
      </div>
      <InteractiveElement
        element={block.element}
        blockId={block.block_id ?? ''}
        label={plainText(block.label.text, block.label.emoji)}
        dispatches={block.dispatch_action ?? false}
        optional={block.optional ?? false}
        errorId={error ? errorId : undefined}
      />
      {error && (
        <p id={errorId} role="alert" className="problem">
          {error}
        </p>
      )}
      {block.hint && <p className="hint">{plainText(block.hint.text, block.hint.emoji)}</p>}
    </div>
  );
}

function Thumbnail({ image }: { image: ImageElement }): ReactNode {
  return <img className="thumbnail" src={useImageSource(image)} alt={image.alt_text} />;
}

function Picture({ block }: { block: ImageBlock }): ReactNode {
  const source = useImageSource(block);
  const [broken, setBroken] = useState(false);
  return (
    <figure className="picture">
      {block.title && <figcaption>{plainText(block.title.text, block.title.emoji)}</figcaption>}
      {broken ? (
        <p className="quiet">(image cannot be shown: {block.alt_text})</p>
      ) : (
        <OpenablePicture
          picture={{ url: source, alt: block.alt_text, title: plainText(block.title?.text ?? '') }}
          onError={() => setBroken(true)}
        />
      )}
    </figure>
  );
}

/** Returns the address of an image: its URL, or that of the uploaded file which its id or URL names. */
function useImageSource(image: ImageElement | ImageBlock): string | undefined {
  const viewer = useViewer();
  if ('image_url' in image) return image.image_url;
  const { slack_file: wanted } = image;
  return ('id' in wanted ? viewer.file(wanted.id) : viewer.fileAt(wanted.url))?.sandbox_url;
}
