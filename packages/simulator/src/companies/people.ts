import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { uniform } from '../rng/random.js';

/** An invented person: an executive or an analyst. */
export interface Person {
  /** Stable: the same in every run of the same seed. */
  readonly id: bigint;
  readonly name: string;
  readonly birthYear: number;
}

interface Names {
  readonly given: readonly string[];
  readonly family: readonly string[];
  readonly familyFirst: boolean;
}

function names(given: string, family: string, familyFirst = false): Names {
  return { given: given.split(' '), family: family.split(' '), familyFirst };
}

const western = names(
  'Alan Beatrice Carl Diana Edwin Fiona Gregory Helen Ivan Joanna Kenneth Laura Martin Nora Oscar Paula Quentin Ruth Stephen Teresa',
  'Abbott Barlow Castellan Dunmore Easton Fairley Garwood Hollis Ingram Jessop Kerrigan Lathrop Merrow Norwell Oakes Penrose Quill Radley Stanton Thornley Upshaw Varley Whitcomb Yardley',
);
const chinese = names(
  'Anqi Bowen Chengyu Dehua Fangyu Guoliang Haoran Jiayi Kaiwen Lihua Mingze Nianci Peishan Qiming Ruolan Shuyi Tianyu Weijie Xiuying Yichen Zhihong',
  'Bai Cai Deng Fan Gao Han Jin Kong Liang Meng Nie Pan Qiu Ren Shen Tang Wen Xue Yao Zeng',
  true,
);
const japanese = names(
  'Akira Chihiro Daichi Emi Fumio Haruka Ichiro Junko Kaoru Makoto Naomi Osamu Reiko Satoru Takumi Yoko',
  'Aoyama Fujikawa Hamada Ishimori Kawabata Kuroda Miyashita Nagase Okano Sakurai Shiraishi Tachibana Uehara Yanagida',
);
const malay = names(
  'Aiman Faridah Hafiz Kumar Lakshmi Mei Nadia Rahim Suhaila Vikram Wei Zulkifli',
  'Bakri Chandran Daud Foong Govind Hassan Lim Nathan Osman Raja Tan Yusof',
);

const namesOf: Readonly<Record<QuoteMarket, Names>> = {
  US: western,
  FX: western,
  HK: chinese,
  SH: chinese,
  SZ: chinese,
  JP: japanese,
  SG: malay,
  MY: malay,
};

/** A made-up name that is usual where a market is. `key`: its stream. */
export function personName(key: number, market: QuoteMarket): string {
  const { given, family, familyFirst } = namesOf[market];
  const of = (list: readonly string[], draw: number) => list[Math.floor(uniform(key, draw) * list.length)] ?? '';
  const [first, last] = [of(given, 0), of(family, 1)];
  return familyFirst ? `${last} ${first}` : `${first} ${last}`;
}
