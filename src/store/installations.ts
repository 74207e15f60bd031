import type { Redis } from 'ioredis';
import { z } from 'zod';
import { MemberId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import type { Vault } from './encryption.ts';
import { installationsKey, installStateKey, workspacesKey } from './format.ts';
import { type Command, change, changeIf } from './scripts.ts';
import { type ErrorLogger, swapField } from './stored-hash.ts';

/** What an installation of the app may do in a workspace, or in all workspaces of an organization. */
const Installation = z
  .object({
    token: z.string(),
    /** The bot's user, and its id as a bot. */
    botUser: MemberId,
    botId: z.string(),
    /** Present when the token expires: a new one is got with it. */
    refreshToken: z.string().optional(),
    expiresAt: z.number().optional(),
  })
  .readonly();
export type Installation = z.infer<typeof Installation>;

/** An installation as it was read: it is replaced only while it is still the same. */
export interface FoundInstallation extends Installation {
  /** The workspace or organization that has installed the app. */
  readonly id: string;
  readonly stored: string;
}

export type Installations = ReturnType<typeof createInstallations>;

/** Creates the store of the app's installations: their tokens, encrypted, and which workspaces they are for. */
export function createInstallations(redis: Redis, vault: Vault, logger: ErrorLogger) {
  const purposeOf = (id: string) => `installation ${id}`;
  const sealed = (id: string, installation: Installation) =>
    vault.seal(JSON.stringify(Installation.parse(installation)), purposeOf(id));

  /** Returns the installation of a workspace or organization; undefined when there is none that can be read. */
  async function get(id: string): Promise<FoundInstallation | undefined> {
    const stored = await redis.hget(installationsKey, id);
    if (stored === null) return undefined;
    try {
      return { ...Installation.parse(JSON.parse(vault.open(stored, purposeOf(id)))), id, stored };
    } catch (error) {
      logger.error(
        { id, reason: messageOf(error) },
        'stored installation unreadable: restore the encryption key, or install the app there again',
      );
      return undefined;
    }
  }

  return {
    get,

    /** Stores a new installation, whatever there was before. */
    async put(id: string, installation: Installation, isOrganization: boolean): Promise<void> {
      const own: Command[] = isOrganization ? [] : [['HSET', workspacesKey, id, id]];
      await change(redis, undefined, ['HSET', installationsKey, id, sealed(id, installation)], ...own);
    },

    /** Stores another token of an installation, unless it was removed or made anew meanwhile. */
    async replace({ id, stored }: FoundInstallation, installation: Installation): Promise<void> {
      await swapField(redis, installationsKey, id, stored, sealed(id, installation));
    },

    /**
     * Returns the installation that is for a workspace: its own, or its organization's.
     * @param organization as a delivery names it: what such an installation is for is only known by its deliveries
     */
    async of(workspace: WorkspaceId, organization?: string): Promise<FoundInstallation | undefined> {
      const id = await redis.hget(workspacesKey, workspace);
      if (id !== null) return get(id);
      const found = organization === undefined ? undefined : await get(organization);
      if (found) await redis.hsetnx(workspacesKey, workspace, found.id);
      return found;
    },

    /**
     * Removes an installation, unless it was replaced since it was read.
     * @param organization whose installation, if there is one, is from then on that of the workspace
     */
    async remove({ id, stored }: FoundInstallation, organization = id): Promise<void> {
      const isOfAll = await redis.hexists(installationsKey, organization);
      const next: Command[] =
        isOfAll && id !== organization ? [['HSET', workspacesKey, id, organization]] : [];
      const same = [stored, 'HGET', installationsKey, id] as const;
      await changeIf(redis, [same], [['HDEL', installationsKey, id], ...next]);
    },

    /** Takes the app from a workspace that has it by an organization's installation. */
    async withdraw(workspace: string, organization = ''): Promise<void> {
      await swapField(redis, workspacesKey, workspace, organization, workspace);
    },

    /** Returns every workspace that has the app, and every one whose data are still to be deleted. */
    async workspaces(): Promise<{ installed: WorkspaceId[]; removed: WorkspaceId[] }> {
      const [all, ids] = await Promise.all([redis.hgetall(workspacesKey), redis.hkeys(installationsKey)]);
      const known = WorkspaceId.array().parse(Object.keys(all));
      const isInstalled = (workspace: WorkspaceId) => ids.includes(all[workspace] ?? '');
      return { installed: known.filter(isInstalled), removed: known.filter((one) => !isInstalled(one)) };
    },

    /** Forgets a workspace of which nothing is left, unless it has the app again. */
    async forget(workspace: WorkspaceId): Promise<void> {
      const id = (await redis.hget(workspacesKey, workspace)) ?? workspace;
      await changeIf(redis, [['', 'HGET', installationsKey, id]], [['HDEL', workspacesKey, workspace]]);
    },

    /** Encrypts each installation with the first key where it is not already. */
    async reseal(): Promise<void> {
      for (const id of await redis.hkeys(installationsKey)) {
        const found = await get(id);
        if (found && !vault.isCurrent(found.stored)) await this.replace(found, found);
      }
    },

    /** Claims the state with which somebody has begun an installation. Resolves to true the first time within 10 minutes. */
    async useState(state: string): Promise<boolean> {
      const signature = state.split('.').at(-1) ?? '';
      return (await redis.set(installStateKey(signature), '1', 'EX', 600, 'NX')) === 'OK';
    },
  };
}
