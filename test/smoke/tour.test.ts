import { describe } from 'vitest';
import { theReadmeWorks, theTourWorks } from './tour.js';

const posix = process.platform !== 'win32';
/** The README names the folders of Linux. */
const linux = process.platform === 'linux';

describe.skipIf(!posix)('the five-minute tour that the demo prints', () => theTourWorks(process.execPath));
describe.skipIf(!linux)('the five-minute tour of the README', () => theReadmeWorks(process.execPath));
