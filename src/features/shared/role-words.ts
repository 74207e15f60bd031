import type { Role } from '../../domain/permissions.ts';

/** Roles with their article, as used in sentences. */
export const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'a viewer',
  reviewer: 'a reviewer',
  manager: 'a manager',
  owner: 'an owner',
};
