/**
 * Where sun and moon stand, as far as calendars need it: within about a minute of time for new moons and a quarter of an hour for the
 * sun, for centuries around 2000. After Jean Meeus, Astronomical Algorithms, chapters 25 and 49. Times are in days since 1970-01-01 UTC.
 */

const EPOCH_JULIAN_DAY = 2_440_587.5;
const J2000 = 2_451_545;
/** Days that dynamical time, in which the formulas are, runs ahead of UTC: 69 s in 2020, a minute more by the middle of the century. */
const DYNAMICAL_AHEAD = 70 / 86_400;
const SYNODIC_MONTH = 29.530588861;

const sin = (degrees: number) => Math.sin((degrees * Math.PI) / 180);

/** Apparent longitude of the sun in degrees, [0, 360): 0 at the March equinox, 270 at the December solstice. */
export function solarLongitude(time: number): number {
  const centuries = (time + DYNAMICAL_AHEAD + EPOCH_JULIAN_DAY - J2000) / 36_525;
  const mean = 280.46646 + centuries * (36_000.76983 + centuries * 0.0003032);
  const anomaly = 357.52911 + centuries * (35_999.05029 - centuries * 0.0001537);
  const centre =
    (1.914602 - centuries * (0.004817 + centuries * 0.000014)) * sin(anomaly) +
    (0.019993 - centuries * 0.000101) * sin(2 * anomaly) +
    0.000289 * sin(3 * anomaly);
  const node = 125.04 - 1934.136 * centuries;
  const longitude = mean + centre - 0.00569 - 0.00478 * sin(node);
  return ((longitude % 360) + 360) % 360;
}

/** When the sun next reaches a longitude (degrees) at or after `from`. */
export function sunAt(longitude: number, from: number): number {
  const ahead = (((longitude - solarLongitude(from)) % 360) + 360) % 360;
  let time = from + (ahead / 360) * 365.2422;
  // The mean motion misses by two days at most; each round takes a thirtieth of what is left.
  for (let round = 0; round < 6; round += 1) {
    const missing = ((((longitude - solarLongitude(time)) % 360) + 540) % 360) - 180;
    time += (missing / 360) * 365.2422;
  }
  return time;
}

/** The number of the last new moon at or before `time`: lunations are counted from the new moon of 2000-01-06. */
export function lunationAt(time: number): number {
  let lunation = Math.round((time + EPOCH_JULIAN_DAY - 2_451_550.09766) / SYNODIC_MONTH) + 1;
  while (newMoon(lunation) > time) lunation -= 1;
  return lunation;
}

/** When a new moon is. */
export function newMoon(lunation: number): number {
  const t = lunation / 1236.85;
  const mean = 2_451_550.09766 + SYNODIC_MONTH * lunation + t * t * (0.00015437 - t * (0.00000015 - t * 0.00000000073));
  const e = 1 - t * (0.002516 + t * 0.0000074);
  const sun = 2.5534 + 29.1053567 * lunation - t * t * (0.0000014 + t * 0.00000011);
  const moon = 201.5643 + 385.81693528 * lunation + t * t * (0.0107582 + t * (0.00001238 - t * 0.000000058));
  const latitude = 160.7108 + 390.67050284 * lunation - t * t * (0.0016118 + t * (0.00000227 - t * 0.000000011));
  const node = 124.7746 - 1.56375588 * lunation + t * t * (0.0020672 + t * 0.00000215);
  const periodic =
    -0.4072 * sin(moon) +
    0.17241 * e * sin(sun) +
    0.01608 * sin(2 * moon) +
    0.01039 * sin(2 * latitude) +
    0.00739 * e * sin(moon - sun) -
    0.00514 * e * sin(moon + sun) +
    0.00208 * e * e * sin(2 * sun) -
    0.00111 * sin(moon - 2 * latitude) -
    0.00057 * sin(moon + 2 * latitude) +
    0.00056 * e * sin(2 * moon + sun) -
    0.00042 * sin(3 * moon) +
    0.00042 * e * sin(sun + 2 * latitude) +
    0.00038 * e * sin(sun - 2 * latitude) -
    0.00024 * e * sin(2 * moon - sun) -
    0.00017 * sin(node) -
    0.00007 * sin(moon + 2 * sun);
  const planetary =
    0.000325 * sin(299.77 + 0.107408 * lunation - 0.009173 * t * t) +
    0.000165 * sin(251.88 + 0.016321 * lunation) +
    0.000164 * sin(251.83 + 26.651886 * lunation) +
    0.000126 * sin(349.42 + 36.412478 * lunation) +
    0.00011 * sin(84.66 + 18.206239 * lunation) +
    0.000062 * sin(141.74 + 53.303771 * lunation) +
    0.00006 * sin(207.14 + 2.453732 * lunation) +
    0.000056 * sin(154.84 + 7.30686 * lunation) +
    0.000047 * sin(34.52 + 27.261239 * lunation) +
    0.000042 * sin(207.19 + 0.121824 * lunation) +
    0.00004 * sin(291.34 + 1.844379 * lunation) +
    0.000037 * sin(161.72 + 24.198154 * lunation) +
    0.000035 * sin(239.56 + 25.513099 * lunation) +
    0.000023 * sin(331.55 + 3.592518 * lunation);
  return mean + periodic + planetary - EPOCH_JULIAN_DAY - DYNAMICAL_AHEAD;
}
