import { createContext, useContext } from 'react';
import type { Channel, InstalledApp, SandboxState, SlackFile, User } from '../model.ts';

/** The part of a file that the page needs to show it. */
type ShownFile = Pick<SlackFile, 'sandbox_url'>;

/** The person who views the page, and the names that it needs. */
export interface Viewer {
  /** The person's user id. */
  readonly as: string;
  /** Their time zone, by its IANA name. */
  readonly zone: string;
  readonly app: Pick<InstalledApp, 'name' | 'bot_user_id' | 'commands' | 'shortcuts'>;
  readonly users: readonly Pick<User, 'id' | 'real_name'>[];
  readonly channels: readonly Pick<
    Channel,
    'id' | 'name' | 'is_im' | 'is_private' | 'is_archived' | 'user'
  >[];
  userName(id: string): string;
  channelName(id: string): string;
  groupName(id: string): string;
  file(id: string): ShownFile | undefined;
  /** Returns the file for one of its URLs. */
  fileAt(url: string | undefined): ShownFile | undefined;
}

/** Returns the viewer for one person. Unknown ids are shown as they are. */
export function createViewer(state: SandboxState, as: string): Viewer {
  const users = new Map(state.users.map((user) => [user.id, user]));
  const channels = new Map(state.channels.map((channel) => [channel.id, channel]));
  return {
    as,
    zone: users.get(as)?.tz ?? 'UTC',
    app: state.app,
    users: state.users,
    channels: state.channels,
    userName: (id) => users.get(id)?.real_name ?? id,
    channelName: (id) => channels.get(id)?.name ?? id,
    groupName: (id) => `@${state.usergroups.find((group) => group.id === id)?.handle ?? id}`,
    file: (id) => state.files.find((file) => file.id === id),
    fileAt: (url) =>
      state.files.find((file) => url && [file.url_private, file.url_private_download].includes(url)),
  };
}

const ViewerContext = createContext<Viewer | undefined>(undefined);
export const ViewerProvider = ViewerContext.Provider;

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('No viewer: this component belongs inside the workspace.');
  return viewer;
}
