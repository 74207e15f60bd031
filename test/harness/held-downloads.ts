import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

/** Matches the paths of files that the sandbox workspace serves. */
const filePath = /^\/files-pri\//;

export type HeldDownloads = ReturnType<typeof holdDownloads>;

/** Holds all further file downloads of bots in this process, by intercepting all of the process's requests. */
export function holdDownloads() {
  const before = getGlobalDispatcher();
  const waiting: (() => void)[] = [];
  const agent = new Agent().compose((dispatch) => (options, handler) => {
    if (!filePath.test(options.path)) return dispatch(options, handler);
    waiting.push(() => dispatch(options, handler));
    return true;
  });
  setGlobalDispatcher(agent);
  return {
    /** Returns the number of waiting downloads. */
    count: () => waiting.length,
    /** Releases these and all later downloads. */
    release() {
      setGlobalDispatcher(before);
      for (const go of waiting.splice(0)) go();
    },
  };
}
