import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';

/** The proxy between this machine and the internet; '' where there is none. */
export interface ProxySettings {
  readonly httpProxy: string;
  /** For https; '' means as for http. */
  readonly httpsProxy: string;
  /** Hosts that are reached without it, separated by commas. */
  readonly noProxy: string;
}

/** Sends every HTTP request of this thread through the proxy, if there is one, except through connections of its own. */
export function applyProxy(proxy: ProxySettings | undefined): void {
  if (proxy) setGlobalDispatcher(new EnvHttpProxyAgent(proxy));
}
