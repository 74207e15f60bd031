import type { AlertBlock, FileBlock, PlanBlock, TaskCardBlock, VideoBlock } from '@slack/types';
import {
  Bell,
  Circle,
  CircleCheck,
  CircleX,
  FileText,
  Info,
  LoaderCircle,
  Play,
  TriangleAlert,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { LibraryBlock } from '../library-block.tsx';
import { Link, plainText, TextObject } from '../text/text.tsx';

const alertIcons = {
  default: Bell,
  info: Info,
  warning: TriangleAlert,
  error: CircleX,
  success: CircleCheck,
} as const;

/** Renders an alert in the color of its level. */
export function Alert({ block }: { block: AlertBlock }): ReactNode {
  const level = block.level ?? 'default';
  const Icon = alertIcons[level];
  return (
    <div className={`alert-block ${level}`}>
      <Icon size={18} role="img" aria-label={level === 'default' ? 'Note' : level} />
      <div className="text">
        <TextObject text={block.text} />
      </div>
    </div>
  );
}

/** Renders a video as a picture that links to it, because the page embeds no external players. */
export function Video({ block }: { block: VideoBlock }): ReactNode {
  const source = [block.author_name, block.provider_name].filter(Boolean).join(' · ');
  return (
    <div className="video-block">
      {source !== '' && (
        <p className="quiet small">
          {block.provider_icon_url && <img src={block.provider_icon_url} alt="" />}
          {source}
        </p>
      )}
      <strong>
        <Link url={block.title_url ?? block.video_url}>{plainText(block.title.text, block.title.emoji)}</Link>
      </strong>
      {block.description && (
        <p className="text">{plainText(block.description.text, block.description.emoji)}</p>
      )}
      <a className="video-picture" href={block.video_url} target="_blank" rel="noopener noreferrer">
        <img src={block.thumbnail_url} alt={block.alt_text} />
        <Play size={28} fill="currentcolor" aria-hidden="true" />
      </a>
    </div>
  );
}

/** Renders a file that is stored elsewhere. Its payload has only the external id. */
export function RemoteFile({ block }: { block: FileBlock }): ReactNode {
  return (
    <p className="file">
      <span className="file-icon" aria-hidden="true">
        <FileText size={20} />
      </span>
      <strong>{block.external_id}</strong>
      <small className="quiet">{block.source === 'remote' ? 'Remote file' : block.source}</small>
    </p>
  );
}

const statuses = {
  pending: { Icon: Circle, label: 'Pending' },
  in_progress: { Icon: LoaderCircle, label: 'In progress' },
  complete: { Icon: CircleCheck, label: 'Complete' },
  error: { Icon: CircleX, label: 'Error' },
} as const;

/** Renders a step of an agent's work: its title, status and result. */
export function TaskCard({ block }: { block: TaskCardBlock }): ReactNode {
  const { Icon, label } = statuses[block.status];
  const { details, output, sources = [] } = block;
  return (
    <div className={`task-block ${block.status}`}>
      <p>
        <Icon size={16} role="img" aria-label={label} />
        <strong>{block.title}</strong>
      </p>
      {details && <LibraryBlock block={details} />}
      {output && <LibraryBlock block={output} />}
      {sources.length > 0 && (
        <ul className="sources">
          {sources.map(({ url, text }) => (
            <li key={url}>
              <Link url={url}>{text}</Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Renders a plan: its title above its steps. */
export function Plan({ block }: { block: PlanBlock }): ReactNode {
  const tasks = (block.tasks ?? []) as TaskCardBlock[];
  return (
    <div className="plan-block">
      <strong>{block.title}</strong>
      {tasks.map((task) => (
        <TaskCard key={task.task_id} block={task} />
      ))}
    </div>
  );
}
