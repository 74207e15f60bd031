/** The codes that retarget accepts in `countries[]`: ISO 3166-1 alpha-2, and XK, which many services use for Kosovo. */
const codes = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
    'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
    'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
    'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
    'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
  ).split(' '),
);

/** The zone names that occur in "Category catalogue". */
export const zones = ['int', 'west1', 'europe1', 'europe2', 'asia1', 'caribbean1'] as const;
export type Zone = (typeof zones)[number];

/** The countries of each zone: the sandbox's own choice, since the API does not define them. `int` contains all. */
const zoneCountries: Record<Zone, ReadonlySet<string>> = {
  int: codes,
  west1: new Set('US CA GB IE AU NZ'.split(' ')),
  europe1: new Set('DE FR NL BE LU AT CH ES PT IT SE NO DK FI IS MT'.split(' ')),
  europe2: new Set('PL CZ SK HU RO BG HR SI RS BA ME MK AL EE LV LT GR CY UA MD'.split(' ')),
  asia1: new Set('IN BD PK LK NP PH ID VN TH MY SG CN JP KR TW HK KH'.split(' ')),
  caribbean1: new Set('JM TT BB BS DO HT CU PR GY BZ GD LC VC AG DM KN'.split(' ')),
};

/** The first two octets of the IP addresses of a country's made-up workers. */
const networks: Record<string, string> = {
  US: '73.158',
  CA: '99.241',
  GB: '81.2',
  AU: '1.128',
  DE: '91.10',
  FR: '90.63',
  ES: '83.42',
  IT: '79.17',
  NL: '84.105',
  PL: '83.6',
  RO: '86.120',
  RS: '109.92',
  UA: '93.73',
  GR: '94.66',
  IN: '49.36',
  BD: '103.4',
  PK: '39.40',
  LK: '112.134',
  NP: '27.34',
  PH: '112.198',
  ID: '36.68',
  VN: '14.160',
  CN: '36.110',
  JP: '126.12',
  JM: '72.27',
  TT: '186.45',
  BR: '177.32',
  MX: '187.190',
  EG: '41.34',
  MA: '105.66',
  NG: '105.112',
  KE: '105.160',
};
const countryOfNetwork = new Map(Object.entries(networks).map(([code, network]) => [network, code]));

/** The countries that made-up workers come from. */
export const workerCountries: readonly string[] = Object.keys(networks);

const names = new Intl.DisplayNames(['en'], { type: 'region' });

export function isCountryCode(code: string): boolean {
  return codes.has(code);
}

export function isZone(name: string): name is Zone {
  return (zones as readonly string[]).includes(name);
}

/** Returns the English name of a country code. */
export function countryName(code: string): string {
  return isCountryCode(code) ? (names.of(code) ?? code) : code;
}

export function isInZone(code: string, zone: Zone): boolean {
  return zoneCountries[zone].has(code);
}

/** Returns the country of an IP address; undefined for addresses outside the made-up networks. */
export function countryOfIp(ip: string): string | undefined {
  return countryOfNetwork.get(ip.split('.').slice(0, 2).join('.'));
}

/** Returns an IP address of the country, or of the United States if the country has no made-up network. */
export function ipOf(code: string, third: number, fourth: number): string {
  return `${networks[code] ?? networks.US}.${third}.${fourth}`;
}
