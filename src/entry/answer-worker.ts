import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { answerQuestions } from '../backends/sim/answer-worker.js';

// The thread of an AnswerThread runs this module.
answerQuestions(parentPort as MessagePort, workerData);
