;;;; Functions of lists and sequences that take functions. They are written here and not in the host language, so that
;;;; calling what they are given is a call like any other.

(defun mapc (function list &rest more)
  (if more
      (apply #'mapcar function list more)
      (dolist (item list) (funcall function item)))
  list)

(defun mapcan (function list &rest more)
  (apply #'append (apply #'mapcar function list more)))

(defun maplist (function list &rest more)
  (let ((result nil))
    (do ((lists (cons list more) (%cdrs lists)))
        ((%any-null lists) (nreverse result))
      (push (apply function lists) result))))

(defun mapl (function list &rest more)
  (apply #'maplist function list more)
  list)

(defun mapcon (function list &rest more)
  (apply #'append (apply #'maplist function list more)))

(defun map (type function &rest sequences)
  (let ((result (apply #'mapcar function (mapcar #'%items sequences))))
    (if type (%of-type result type) nil)))

(defun map-into (target function &rest sequences)
  (let ((index 0) (limit (length target)))
    (dolist (value (apply #'mapcar function (mapcar #'%items sequences)) target)
      (when (< index limit)
        (setf (elt target index) value))
      (incf index))))

;;; The items from START to END, as a list.
(defun %part (sequence start end)
  (if (or (and start (/= start 0)) end)
      (%items (subseq sequence (or start 0) end))
      (%items sequence)))

(defun reduce (function sequence &key key from-end (start 0) end (initial-value nil given))
  (let ((items (%part sequence start end)))
    (if key (setq items (mapcar key items)))
    (if from-end (setq items (reverse items)))
    (cond (given nil)
          (items (setq initial-value (pop items)))
          (t (return-from reduce (funcall function))))
    (dolist (item items initial-value)
      (setq initial-value
            (if from-end
                (funcall function item initial-value)
                (funcall function initial-value item))))))

(defun some (predicate sequence &rest more)
  (if more
      (let ((lists (mapcar #'%items (cons sequence more))))
        (do () ((%any-null lists) nil)
          (let ((value (apply predicate (%cars lists))))
            (if value (return value)))
          (setq lists (%cdrs lists))))
      (dolist (item (%items sequence))
        (let ((value (funcall predicate item)))
          (if value (return value))))))

(defun every (predicate sequence &rest more)
  (if more
      (let ((lists (mapcar #'%items (cons sequence more))) (value t))
        (do () ((%any-null lists) value)
          (setq value (apply predicate (%cars lists)))
          (if value nil (return nil))
          (setq lists (%cdrs lists))))
      (let ((value t))
        (dolist (item (%items sequence) value)
          (setq value (funcall predicate item))
          (if value nil (return nil))))))

(defun notany (predicate sequence &rest more)
  (not (apply #'some predicate sequence more)))

(defun notevery (predicate sequence &rest more)
  (not (apply #'every predicate sequence more)))

;;; A predicate that says whether an item is ITEM.
(defun %same (item test test-not key)
  (let ((test (cond (test test)
                    (test-not (complement test-not))
                    (t #'eql))))
    (if key
        (lambda (other) (funcall test item (funcall key other)))
        (lambda (other) (funcall test item other)))))

(defun %keyed (predicate key)
  (if key
      (lambda (item) (funcall predicate (funcall key item)))
      predicate))

(defun remove-if (predicate sequence &key key count (start 0) end from-end)
  (let ((predicate (%keyed predicate key)) (result nil) (index 0) (items (%items sequence)))
    (if (and count from-end)
        (return-from remove-if
          (reverse (remove-if predicate (reverse sequence) :count count))))
    (dolist (item items)
      (if (and (>= index start)
               (or (null end) (< index end))
               (or (null count) (> count 0))
               (funcall predicate item))
          (if count (decf count))
          (push item result))
      (incf index))
    (%like (nreverse result) sequence)))

(defun remove-if-not (predicate sequence &rest keys)
  (apply #'remove-if (complement predicate) sequence keys))

(defun remove (item sequence &key test test-not key count (start 0) end from-end)
  (remove-if (%same item test test-not key) sequence
             :count count :start start :end end :from-end from-end))

(defun delete (item sequence &rest keys) (apply #'remove item sequence keys))
(defun delete-if (predicate sequence &rest keys) (apply #'remove-if predicate sequence keys))
(defun delete-if-not (predicate sequence &rest keys) (apply #'remove-if-not predicate sequence keys))

(defun find-if (predicate sequence &key key (start 0) end from-end)
  (let ((items (%part sequence start end)))
    (dolist (item (if from-end (reverse items) items))
      (if (funcall predicate (if key (funcall key item) item)) (return item)))))

(defun find-if-not (predicate sequence &rest keys)
  (apply #'find-if (complement predicate) sequence keys))

(defun find (item sequence &key test test-not key (start 0) end from-end)
  (find-if (%same item test test-not key) sequence :start start :end end :from-end from-end))

(defun position-if (predicate sequence &key key (start 0) end from-end)
  (let ((index start) (found nil))
    (dolist (item (%part sequence start end) found)
      (when (funcall predicate (if key (funcall key item) item))
        (if from-end
            (setq found index)
            (return index)))
      (incf index))))

(defun position-if-not (predicate sequence &rest keys)
  (apply #'position-if (complement predicate) sequence keys))

(defun position (item sequence &key test test-not key (start 0) end from-end)
  (position-if (%same item test test-not key) sequence :start start :end end :from-end from-end))

(defun count-if (predicate sequence &key key (start 0) end)
  (let ((count 0))
    (dolist (item (%part sequence start end) count)
      (if (funcall predicate (if key (funcall key item) item)) (incf count)))))

(defun count-if-not (predicate sequence &rest keys)
  (apply #'count-if (complement predicate) sequence keys))

(defun count (item sequence &key test test-not key (start 0) end)
  (count-if (%same item test test-not key) sequence :start start :end end))

(defun substitute-if (new predicate sequence &key key)
  (%like (mapcar (lambda (item)
                   (if (funcall predicate (if key (funcall key item) item)) new item))
                 (%items sequence))
         sequence))

(defun substitute (new old sequence &key test key)
  (substitute-if new (%same old test nil key) sequence))

(defun remove-duplicates (sequence &key (test #'eql) key from-end)
  (let ((result nil) (items (%items sequence)))
    (if from-end
        (dolist (item items)
          (if (member (if key (funcall key item) item) result :test test :key key)
              nil
              (push item result)))
        (do ((rest items (cdr rest))) ((null rest))
          (if (member (if key (funcall key (car rest)) (car rest)) (cdr rest) :test test :key key)
              nil
              (push (car rest) result))))
    (%like (nreverse result) sequence)))

(defun delete-duplicates (sequence &rest keys) (apply #'remove-duplicates sequence keys))

(defun member-if (predicate list &key key)
  (do ((rest list (cdr rest))) ((endp rest) nil)
    (if (funcall predicate (if key (funcall key (car rest)) (car rest))) (return rest))))

(defun assoc (item list &key test key)
  (if (or test key)
      (let ((same (%same item test nil key)))
        (dolist (pair list)
          (if (and pair (funcall same (car pair))) (return pair))))
      (%assoc-eql item list)))

(defun assoc-if (predicate list)
  (dolist (pair list)
    (if (and pair (funcall predicate (car pair))) (return pair))))

(defun rassoc (item list &key test key)
  (let ((same (%same item test nil key)))
    (dolist (pair list)
      (if (and pair (funcall same (cdr pair))) (return pair)))))

(defun pairlis (keys values &optional list)
  (append (mapcar #'cons keys values) list))

(defun adjoin (item list &key test key)
  (if (member (if key (funcall key item) item) list :test test :key key)
      list
      (cons item list)))

(defun union (left right &key test key)
  (let ((result right))
    (dolist (item left result)
      (if (member (if key (funcall key item) item) right :test test :key key)
          nil
          (push item result)))))

(defun intersection (left right &key test key)
  (let ((result nil))
    (dolist (item left result)
      (if (member (if key (funcall key item) item) right :test test :key key)
          (push item result)))))

(defun set-difference (left right &key test key)
  (let ((result nil))
    (dolist (item left result)
      (if (member (if key (funcall key item) item) right :test test :key key)
          nil
          (push item result)))))

(defun set-exclusive-or (left right &key test key)
  (append (set-difference left right :test test :key key)
          (set-difference right left :test test :key key)))

(defun subsetp (left right &key test key)
  (every (lambda (item)
           (if (member (if key (funcall key item) item) right :test test :key key) t nil))
         left))

(defun copy-tree (tree)
  (if (consp tree)
      (cons (copy-tree (car tree)) (copy-tree (cdr tree)))
      tree))

(defun copy-alist (list)
  (mapcar (lambda (pair) (if (consp pair) (cons (car pair) (cdr pair)) pair)) list))

(defun subst (new old tree &key test)
  (cond ((funcall (or test #'eql) old tree) new)
        ((atom tree) tree)
        (t (cons (subst new old (car tree) :test test)
                 (subst new old (cdr tree) :test test)))))

(defun search (wanted sequence &key test key (start2 0) end2)
  (if (or test key)
      (let ((count (length wanted))
            (stop (or end2 (length sequence)))
            (wanted (%items wanted)))
        (do ((begin start2 (1+ begin))) ((> (+ begin count) stop) nil)
          (if (every (lambda (left right)
                       (funcall (or test #'eql)
                                (if key (funcall key left) left)
                                (if key (funcall key right) right)))
                     wanted
                     (subseq sequence begin (+ begin count)))
              (return begin))))
      (%search wanted (if end2 (subseq sequence 0 end2) sequence) start2)))

(defun mismatch (left right &key (test #'eql))
  (do ((a (%items left) (cdr a)) (b (%items right) (cdr b)) (index 0 (1+ index)))
      ((or (null a) (null b)) (if (or a b) index nil))
    (if (funcall test (car a) (car b)) nil (return index))))

(defun replace (target source &key (start1 0) end1 (start2 0) end2)
  (let ((index start1) (limit (or end1 (length target))))
    (dolist (item (%part source start2 end2) target)
      (if (>= index limit) (return target))
      (setf (elt target index) item)
      (incf index))))

;;; Two sorted lists made one. Of equal items those of LEFT come first.
(defun %merge (left right predicate key)
  (let* ((head (list nil)) (tail head))
    (do () ((or (null left) (null right)))
      (let ((from-right (if key
                            (funcall predicate (funcall key (car right)) (funcall key (car left)))
                            (funcall predicate (car right) (car left)))))
        (setq tail (%set-cdr tail (list (if from-right (pop right) (pop left)))))))
    (%set-cdr tail (or left right))
    (cdr head)))

(defun %sort-list (list count predicate key)
  (if (< count 2)
      (if (= count 1) (list (car list)) nil)
      (let ((half (floor count 2)))
        (%merge (%sort-list list half predicate key)
                (%sort-list (nthcdr half list) (- count half) predicate key)
                predicate key))))

(defun sort (sequence predicate &key key)
  (let ((sorted (%sort-list (%items sequence) (length sequence) predicate key)))
    (if (listp sequence)
        sorted
        (replace sequence sorted))))

(defun stable-sort (sequence predicate &rest keys) (apply #'sort sequence predicate keys))

(defun merge (type left right predicate &key key)
  (%of-type (%merge (%items left) (%items right) predicate key) type))

(defun maphash (function table)
  (dolist (pair (%hash-pairs table))
    (funcall function (car pair) (cdr pair))))

(defun lcm (&rest integers)
  (reduce (lambda (a b) (if (or (= a 0) (= b 0)) 0 (abs (* b (/ a (gcd a b)))))) integers :initial-value 1))
