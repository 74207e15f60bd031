import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/** Files that the sandbox workspace hands out, by the path of their address. */
const filePath = /^\/files-pri\//;

export interface HeldDownloads {
  /** How many downloads wait. */
  readonly count: () => number;
  /** Lets them go on, and all that come after them. */
  readonly release: () => void;
}

/** From now on, downloads of files wait: those of bots in this process, whose requests are all of this process. */
export function holdDownloads(): HeldDownloads {
  const before = getGlobalDispatcher();
  const waiting: (() => void)[] = [];
  const agent = new Agent().compose((dispatch) => (options, handler) => {
    if (!filePath.test(options.path)) return dispatch(options, handler);
    waiting.push(() => dispatch(options, handler));
    return true;
  });
  setGlobalDispatcher(agent);
  return {
    count: () => waiting.length,
    release() {
      setGlobalDispatcher(before);
      for (const go of waiting.splice(0)) go();
    },
  };
}
