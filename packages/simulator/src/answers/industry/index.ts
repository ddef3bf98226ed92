export { getIndustrialChainByPlate, getIndustrialChainDetail, getIndustrialChainList } from './industrial-chains.js';
export { getIndustrialPlateInfo, getIndustrialPlateStock } from './industrial-plates.js';
