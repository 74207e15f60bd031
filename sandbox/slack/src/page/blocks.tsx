import type {
  ActionsBlock,
  ContextActionsBlock,
  ContextBlock,
  InputBlock,
  KnownBlock,
  SectionBlock,
} from '@slack/types';
import { type ReactNode, useId } from 'react';
import type { Block } from '../model.ts';
import { InteractiveElement } from './elements/element.tsx';
import { typed } from './elements/state.ts';
import { Card, Carousel, Container } from './layout/cards.tsx';
import { Alert, Plan, RemoteFile, TaskCard, Video } from './layout/notices.tsx';
import { LibraryBlock } from './library-block.tsx';
import { Picture, Thumbnail } from './pictures.tsx';
import { Table } from './table.tsx';
import { plainText, TextObject } from './text/text.tsx';

/**
 * Renders blocks as Slack does. slack-blocks-to-jsx renders rich text, markdown and charts; it parses plain text as
 * markdown and reports no clicks, so texts, tables and blocks with interactive elements are rendered here.
 */
export function Blocks(props: {
  blocks: Block[];
  errors?: Record<string, string>;
  /** Rendered inline at the end of the last text: `(edited)`. */
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
    case 'context_actions':
      return <Actions block={block} />;
    case 'input':
      return <Input block={block} error={error} />;
    case 'table':
    case 'data_table':
      return <Table block={block} />;
    case 'alert':
      return <Alert block={block} />;
    case 'card':
      return <Card block={block} />;
    case 'carousel':
      return <Carousel block={block} />;
    case 'container':
      return <Container block={block} draw={(blocks) => <Blocks blocks={blocks as unknown as Block[]} />} />;
    case 'file':
      return <RemoteFile block={block} />;
    case 'plan':
      return <Plan block={block} />;
    case 'task_card':
      return <TaskCard block={block} />;
    case 'video':
      return <Video block={block} />;
    default:
      return <LibraryBlock block={block} />;
  }
}

function Actions({ block }: { block: ActionsBlock | ContextActionsBlock }): ReactNode {
  return (
    <div className={block.type === 'actions' ? 'actions' : 'actions of-answer'}>
      {block.elements.map((element) => (
        <InteractiveElement
          key={element.action_id ?? ''}
          element={element}
          blockId={block.block_id ?? ''}
          dispatches
        />
      ))}
    </div>
  );
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
      {/* Not a label: the control has the same accessible name, and some inputs have several controls. */}
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
