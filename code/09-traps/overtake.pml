/* Whose task does a disconnect end? The model of one slot and of the two notices that
 * matter here: a request begins, a client has left. code/06-pump/wake.pml says how to
 * read it.
 *
 * Tenants follow each other in the slot. Each asks, and then waits for the end of its
 * answer, or leaves. What the native loop does is in the tenant's steps: it sees the
 * request before the client leaves, and frees the slot when the answer has ended. A
 * stream without end is ended by a disconnect alone; its tenant leaves one day.
 *
 * The executor keeps a task for the slot. What ends the answer is checked by the tag, as
 * notice_deliver() does; what stops the task is found by the slot alone. In one queue the
 * order makes up for that. With two ways, whoever goes straight is handled first.
 *
 * WRONG: OVERTAKEN             requests go straight, disconnects by the queue: overtake.c
 * RIGHT: TAG_CHECKED           the same, but the tag is looked at before the task is stopped
 * WRONG: DISCONNECT_OVERTAKES  disconnects go straight, requests by the queue
 *
 * By hand: spin -run -DOVERTAKEN overtake.pml && spin -t -T overtake.pml */

#define TENANTS 3

mtype = { begins, leaves };

chan queue = [2 * TENANTS] of { mtype, byte };
chan straight = [2 * TENANTS] of { mtype, byte };

#if defined(OVERTAKEN) || defined(TAG_CHECKED)
#define WAY_OF_BEGINS straight
#define WAY_OF_LEAVES queue
#elif defined(DISCONNECT_OVERTAKES)
#define WAY_OF_BEGINS queue
#define WAY_OF_LEAVES straight
#else
#define WAY_OF_BEGINS queue
#define WAY_OF_LEAVES queue
#endif

bool endless[TENANTS + 1]; /* what it asks for, by its tag */
show byte tag;             /* of the tenant who has the slot */
show byte with;            /* whose exchange is with the application; 0: nobody's */
show bool task_works;      /* the slot's task has something that will call it again */
bool ended;                /* from the application to the native loop */
bool all_done;

inline leave() {
    atomic { WAY_OF_LEAVES!leaves, tag; printf("> tenant %d: leaves\n", tag) }
}

active proctype tenant() {
    byte left = TENANTS;
    do
    :: left > 0 ->
        left--;
        atomic { tag++; printf("> tenant %d: gets the slot\n", tag) };
        if
        :: atomic { WAY_OF_BEGINS!begins, tag;
                    printf("> tenant %d: asks\n", tag) };
           if
           :: leave()
           :: skip
           fi
        :: atomic { endless[tag] = true; WAY_OF_BEGINS!begins, tag;
                    printf("> tenant %d: asks for a stream without end\n", tag) };
           leave()
        fi;
        atomic { ended -> ended = false; printf("> tenant %d: its answer has ended\n", tag) }
    :: else -> break
    od;
    all_done = true
}

inline end_answer() {
    with = 0;
    ended = true
}

inline on_begin(who) {
    with = who;
    task_works = true;
    printf("> executor: begins the task of tenant %d\n", who)
}

inline on_leave(who) {
    if
#ifdef TAG_CHECKED
    :: with != who -> printf("> executor: drops the disconnect of tenant %d\n", who)
#else
    :: with != who -> task_works = false;
       printf("> executor: stops the slot's task for tenant %d, who has none\n", who)
#endif
    :: with == who -> task_works = false; end_answer();
       printf("> executor: stops the task of tenant %d and ends its answer\n", who)
    fi
}

/* Whoever goes straight is handled first; in one queue, whoever came first. */
#define COMES(way, kind) way?[kind, who] && (way == straight || empty(straight))

active proctype executor() {
    byte who;
    do
    :: atomic { COMES(WAY_OF_BEGINS, begins) -> WAY_OF_BEGINS?begins, who;
                on_begin(who); who = 0 }
    :: atomic { COMES(WAY_OF_LEAVES, leaves) -> WAY_OF_LEAVES?leaves, who;
                on_leave(who); who = 0 }
    :: atomic { task_works && !endless[with] -> task_works = false;
                printf("> executor: gives tenant %d the rest of its answer\n", with);
                end_answer() }
    :: atomic { all_done && empty(queue) && empty(straight) -> break }
    od
}
