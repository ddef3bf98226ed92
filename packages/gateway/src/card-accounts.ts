import type { Message } from '@bufbuild/protobuf';
import { trdEnv, trdMarket, writtenValues } from '@svc-gateway/contract/enums';
import type { TrdAcc, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { invalidField, type Rejection } from '@svc-gateway/contract/rejection';

/** As callers of tools know them: the markets of simulated futures are the market of futures. */
const marketNames = writtenValues(trdMarket, 'mcp');

/**
 * Fills a request's account in from the card that names it: a card's 16 digits, or the last 4, its own or those of the
 * universal account that it belongs to. Where a card stands for several accounts of the environment, the trading market
 * decides. `accounts`: those that the caller may use; the others are not spoken of. An account that is named as well
 * (not 0) must be the card's.
 */
export function addressByCard<M extends Message & { header?: TrdHeader | undefined }>(
  request: M,
  cardNum: string,
  accounts: readonly TrdAcc[],
): M | Rejection {
  const { header } = request;
  if (header === undefined) return reject('it names the account of a request that is about none');
  const environment = accounts.filter((account) => account.trdEnv === header.trdEnv);
  const onCard = environment.filter(({ cardNum: own, uniCardNum }) => [own, uniCardNum].some((each) => each.endsWith(cardNum)));
  if (header.accID !== 0n) {
    if (onCard.some(({ accID }) => accID === header.accID)) return request;
    return reject(
      `acc_id ${header.accID} is not an account of card ${cardNum}; its accounts: ${list(onCard)}; give acc_id or card_num, not both`,
    );
  }
  const env = trdEnv.members.find((member) => member.public === header.trdEnv)?.name ?? String(header.trdEnv);
  if (onCard.length === 0) return reject(`no ${env} account has card ${cardNum}; accounts for ${env}: ${list(environment)}`);
  const inMarket = onCard.filter(({ trdMarketAuthList }) =>
    trdMarketAuthList.some((market) => (marketNames.get(market) ?? market) === (marketNames.get(header.trdMarket) ?? header.trdMarket)),
  );
  const [account, another] = onCard.length === 1 ? onCard : inMarket;
  if (account === undefined || another !== undefined) {
    return reject(`card ${cardNum} has several accounts: ${list(onCard)}; give acc_id or another card number`);
  }
  header.accID = account.accID;
  return request;
}

function reject(why: string): Rejection {
  return invalidField('card_num', `${why}`);
}

function list(accounts: readonly TrdAcc[]): string {
  return accounts.map(describe).join(', ') || 'none';
}

function describe({ accID, cardNum, trdMarketAuthList }: TrdAcc): string {
  const markets = new Set(trdMarketAuthList.map((number) => marketNames.get(number) ?? number));
  return `${accID} (${cardNum === '' ? 'no card' : `card ${cardNum}`}, ${[...markets].join(' ')})`;
}
