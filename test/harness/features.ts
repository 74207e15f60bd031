import { createFeatures } from '../../src/app/features.ts';
import { idle, moduleParts } from './modules.ts';

/** Returns all features as the bot assembles them, for tests that inspect them without running them. */
export const idleFeatures = () => createFeatures(moduleParts(idle));
